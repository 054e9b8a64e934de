import { type Clock, onAbort } from "../src/base/context/context.ts";

/** The timer stores milliseconds in 31 bits. A longer wait would fire immediately. */
const longestTimer = 2_147_483_647;

export function createClock(): Clock {
  return { now: Date.now, elapsed, sleep, after, every };
}

/** Unlike performance.now(), this value does not restart at 0 in each process. */
function elapsed(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** In node:timers/promises, every canceled wait creates an error, and each request cancels a wait. */
function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = after(milliseconds, () => {
      release?.();
      resolve();
    });
    const release =
      signal &&
      onAbort(signal, () => {
        cancel();
        reject(signal.reason);
      });
  });
}

function after(milliseconds: number, call: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (left: number): void => {
    const fire = (): void => (left > longestTimer ? wait(left - longestTimer) : call());
    timer = setTimeout(fire, Math.min(left, longestTimer));
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

function every(milliseconds: number, call: () => void): () => void {
  const timer = setInterval(call, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}
