import type { Follower } from "./follow.ts";
import type { HeldRows } from "./held-rows.ts";

/** When a tail reads next. */
export interface Schedule {
  readonly succeeded: (began: number, rows: number) => void;
  readonly failed: (waitMilliseconds: number) => void;
  /** Reads in a row that failed. */
  readonly failures: () => number;
  readonly untilDue: () => Promise<void>;
}

/** Milliseconds between reads that nothing called for: beside a stream that may lie, and in place of one that is gone. */
export const quietGap = 60_000;
export const substituteGap = 15_000;
/** Milliseconds between two reads, however much comes. The plan's pace may make it more. */
const shortestGap = 2000;
/** An event may come before REST has its row: what called for a read in vain calls so often again, after such waits. */
const repeats = 3;
const repeatGap = 3000;

export function createSchedule(
  { context: { clock }, wake, idle }: Pick<Follower, "context" | "wake" | "idle">,
  held: HeldRows,
): Schedule {
  let failures = 0;
  let began = clock.elapsed();
  let ended = began;
  let backoff = 0;
  let owed = 0;

  const due = (): number => {
    if (failures > 0) return ended + backoff;
    const reasons = [began + idle(), held.nextDue() ?? Number.POSITIVE_INFINITY];
    if (wake.isCalled()) reasons.push(ended);
    if (owed > 0) reasons.push(ended + repeatGap);
    return Math.max(Math.min(...reasons), ended + shortestGap);
  };

  return {
    succeeded: (from, rows) => {
      failures = 0;
      [began, ended] = [from, clock.elapsed()];
      owed = rows > 0 ? 0 : Math.max(0, owed - 1);
    },
    failed: (wait) => {
      failures += 1;
      backoff = wait;
      ended = clock.elapsed();
    },
    failures: () => failures,
    untilDue: async () => {
      for (let wait = due() - clock.elapsed(); wait > 0; wait = due() - clock.elapsed()) {
        await wake.sleep(wait);
      }
      if (wake.isCalled()) owed = repeats;
    },
  };
}
