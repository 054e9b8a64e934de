import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../src/model/context.ts";

/** Longer waits would fire at once: the timer counts milliseconds in 31 bits. */
const longestTimer = 2_147_483_647;

/** The machine's own time. */
export function createClock(): Clock {
  return {
    now: Date.now,
    // Not performance.now(), which begins anew with each process.
    elapsed: () => Number(process.hrtime.bigint()) / 1e6,
    sleep: async (milliseconds, signal) => {
      let left = milliseconds;
      try {
        while (left > 0) {
          const part = Math.min(left, longestTimer);
          await wait(part, undefined, signal === undefined ? {} : { signal });
          left -= part;
        }
      } catch {
        throw signal?.reason;
      }
    },
  };
}
