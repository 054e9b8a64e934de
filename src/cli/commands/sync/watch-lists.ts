import type { Context } from "../../../base/context/context.ts";
import { Failure } from "../../../base/failure.ts";
import { diskAdvice } from "../../../base/files/file-errors.ts";
import { createJudge } from "../../../client/follow.ts";
import type { ServiceClock } from "../../../lake/lake.ts";
import { reportInput } from "../../run/failure-text.ts";
import type { Run } from "../../run/with-run.ts";

/** In seconds. The values of a period can be read until it ends. */
const [firstRetry, longestRetry] = [60, 300];

interface Watch {
  /** In seconds. */
  readonly every: number;
  readonly clock: ServiceClock;
  /** Returns whether each list was read. */
  readonly round: () => Promise<boolean>;
}

/** Calls `round` once per period, and again if a list could not be read. Throws what another round would not fix. */
export async function watchLists(run: Run, { every, clock, round }: Watch): Promise<never> {
  const isFinal = createRoundJudge();
  let [failures, isHostKnown] = [0, false];
  for (;;) {
    let isRead = false;
    try {
      isRead = await round();
      isHostKnown = true;
    } catch (cause) {
      if (!(cause instanceof Failure) || isFinal(cause, failures + 1, isHostKnown)) throw cause;
      reportInput(run, cause, failures === 0);
    }
    failures = isRead ? 0 : failures + 1;
    const present = clock.present();
    const retry = isRead ? every : Math.min(firstRetry * 2 ** (failures - 1), longestRetry);
    const hasMoved = await clockMovesBefore(
      run.context,
      clock,
      present + Math.min(every - (present % every), retry),
    );
    if (hasMoved || clock.isWrong()) clock.forget();
  }
}

/** Later rounds may find space on the disk. Before the first success, invalid data may come from the wrong host. */
function createRoundJudge() {
  const isFinal = createJudge();
  return (failure: Failure, failures: number, isHostKnown: boolean): boolean => {
    const { exit, code, details } = failure;
    if (exit === 1 && !isHostKnown) return true;
    if (code === "output") return diskAdvice(details.cause) === undefined;
    return code !== "incomplete" && isFinal(failure, failures, isHostKnown);
  };
}

/** In milliseconds. */
const [longestSleep, tolerance] = [60_000, 1000];

/**
 * Waits until `due`, in Unix seconds, or until the wall clock has moved on its own: it was set, or the machine was
 * suspended. Timers stop during a suspension, so no sleep is long.
 */
async function clockMovesBefore(
  { clock, signal }: Pick<Context, "clock" | "signal">,
  { present }: ServiceClock,
  due: number,
): Promise<boolean> {
  const offset = (): number => clock.now() - clock.elapsed();
  const before = offset();
  for (let rest = due - present(); rest > 0; rest = due - present()) {
    await clock.sleep(Math.min(rest * 1000, longestSleep), signal);
    if (Math.abs(offset() - before) > tolerance) return true;
  }
  return false;
}
