import type { Clock } from "../src/context/context.ts";

/** Longer waits would fire at once: the timer counts milliseconds in 31 bits. */
const longestTimer = 2_147_483_647;

/** The machine's own time. */
export function createClock(): Clock {
  return { now: Date.now, elapsed, sleep, every };
}

/** Not performance.now(), which begins anew with each process. */
function elapsed(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Not that of node:timers/promises: each request ends a wait, which would make an error there. */
function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = startTimer(milliseconds, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

function every(milliseconds: number, call: () => void): () => void {
  const timer = setInterval(call, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

/** What it gives takes it back. */
function startTimer(milliseconds: number, call: () => void): () => void {
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
