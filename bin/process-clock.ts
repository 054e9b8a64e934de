import type { Clock } from "../src/model/context.ts";

/** Longer waits would fire at once: the timer counts milliseconds in 31 bits. */
const longestTimer = 2_147_483_647;

/** The machine's own time. */
export function createClock(): Clock {
  return {
    now: Date.now,
    // Not performance.now(), which begins anew with each process.
    elapsed: () => Number(process.hrtime.bigint()) / 1e6,
    sleep,
    after,
  };
}

/** Not that of node:timers/promises: each request ends a wait, which would make an error there. */
function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(milliseconds, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

function after(milliseconds: number, call: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (left: number): void => {
    timer = setTimeout(
      () => (left > longestTimer ? wait(left - longestTimer) : call()),
      Math.min(left, longestTimer),
    );
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}
