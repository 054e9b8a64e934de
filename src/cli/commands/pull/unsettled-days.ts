import { showSeconds } from "../../../base/time/time.ts";
import { answerAge } from "../../../api/tier.ts";
import { nameOfDays } from "../../../base/time/days.ts";
import { asOfPull, type OpenedPull } from "./pull.ts";

/** In seconds. The service may add a row this late (wire-facts 4.6). */
const lateRows = 240;

export interface Unsettled {
  /** All rows before this time are in the output; in Unix seconds. */
  readonly completeTo: number;
  readonly problem: string;
  readonly exit: 0 | 8;
}

/**
 * Undefined unless the days of `--day` can still get rows, or are older than what the service keeps. The clock is that of
 * the pull's first run, and the responses show whether it is ahead of the service's.
 */
export function unsettledDays(run: OpenedPull): Unsettled | undefined {
  const { plan, options, client, reached } = run;
  const { days } = plan;
  if (days === undefined) return undefined;
  if (reached.doubt !== undefined) return { completeTo: days.from, problem: reached.doubt, exit: 8 };
  const now = Math.floor(options.now / 1000);
  const delay = answerAge(client.target.tier) + Math.ceil(client.meter.age / 1000);
  const shownTo = Math.floor((asOfPull(run) ?? Number.POSITIVE_INFINITY) / 1000);
  const settled = Math.min(now - delay, shownTo) - lateRows;
  if (settled >= days.to) return undefined;
  const completeTo = Math.max(days.from, settled);
  if (days.endsNow) return { completeTo, problem: "today has not ended", exit: 0 };
  const from = showSeconds(now + days.to - settled);
  const problem = `${nameOfDays(days)} can still get rows; to fetch all of them, run this again at ${from} or later`;
  return { completeTo, problem, exit: 8 };
}
