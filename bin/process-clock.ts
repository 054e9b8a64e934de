import type { Clock } from "../src/model/context.ts";
import { createDeadlines, longestTimer } from "./deadlines.ts";

/** The machine's own time. */
export function createClock(): Clock {
  return { now: Date.now, elapsed, sleep, after: createDeadlines(elapsed) };
}

/** Not performance.now(), which begins anew with each process. */
function elapsed(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Not that of node:timers/promises: each request ends a wait, which would make an error there. */
function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    let timer: NodeJS.Timeout | undefined;
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const wait = (left: number): void => {
      timer = setTimeout(
        () => {
          if (left > longestTimer) return wait(left - longestTimer);
          signal?.removeEventListener("abort", abort);
          resolve();
        },
        Math.min(left, longestTimer),
      );
    };
    wait(milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
