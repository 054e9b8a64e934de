import type { Clock } from "../src/context/context.ts";

/** Longer waits would fire at once: the timer counts milliseconds in 31 bits. */
const longestTimer = 2_147_483_647;

/** The machine's time. */
export function createClock(): Clock {
  return { now: Date.now, elapsed, sleep, every };
}

/** Unlike performance.now(), this does not restart with each process. */
function elapsed(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Not the one of node:timers/promises: each request ends a wait, which would create an error there. */
function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    let timer: NodeJS.Timeout | undefined;
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const wait = (left: number): void => {
      const fire = (): void => {
        if (left > longestTimer) return wait(left - longestTimer);
        signal?.removeEventListener("abort", abort);
        return resolve();
      };
      timer = setTimeout(fire, Math.min(left, longestTimer));
    };
    wait(milliseconds);
    return signal?.addEventListener("abort", abort, { once: true });
  });
}

function every(milliseconds: number, call: () => void): () => void {
  const timer = setInterval(call, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}
