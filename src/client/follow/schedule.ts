import type { Clock } from "../../base/context/context.ts";
import type { Wake } from "../follow-wake.ts";

/** Minimum milliseconds between reads of a busy pool. The plan's rate limit may increase it. */
const shortestGap = 2000;
/** An event may arrive before REST has its row, so a read without new rows is repeated. */
const repeats = 3;
const repeatGap = 3000;

/** Times on the monotonic clock; infinite without such a reason. */
interface Reasons {
  /** When a held row may be written. */
  readonly nextDue: () => number;
  /** When a doubtful response is checked. */
  readonly recheckAt: () => number;
  /** When a read can return something new. */
  readonly differsAt: () => number;
}

/** `idle` returns the milliseconds from one read to the next if no read is requested. */
export function createSchedule(
  clock: Pick<Clock, "elapsed">,
  wake: Wake,
  idle: () => number,
  { nextDue, recheckAt, differsAt }: Reasons,
) {
  let failures = 0;
  let began = clock.elapsed();
  let ended = began;
  let backoff = 0;
  let owed = 0;

  const due = (): number => {
    if (failures > 0) return ended + backoff;
    const reasons = [began + idle(), nextDue(), recheckAt()];
    if (wake.isCalled()) reasons.push(ended);
    if (owed > 0) reasons.push(ended + repeatGap);
    return Math.max(Math.min(...reasons), ended + shortestGap, differsAt());
  };

  return {
    succeeded: (from: number, rows: number): void => {
      failures = 0;
      [began, ended] = [from, clock.elapsed()];
      owed = rows > 0 ? 0 : Math.max(0, owed - 1);
    },
    failed: (waitMilliseconds: number): void => {
      failures += 1;
      backoff = waitMilliseconds;
      ended = clock.elapsed();
    },
    failures: () => failures,
    untilDue: async (): Promise<void> => {
      for (let wait = due() - clock.elapsed(); wait > 0; wait = due() - clock.elapsed()) {
        await wake.sleep(wait);
      }
      if (wake.isCalled()) owed = repeats;
    },
  };
}
