import { showSeconds } from "../../../base/time/time.ts";
import { answerAge } from "../../../api/tier.ts";
import { nameOfDays } from "../../../base/time/days.ts";
import type { OpenedPull } from "./pull.ts";

/** In seconds. The service may add a row this late (wire-facts 4.6). */
const lateRows = 240;

export interface Unsettled {
  /** All rows before this time are in the output; in Unix seconds. */
  readonly completeTo: number;
  readonly problem: string;
  readonly exit: 0 | 8;
}

/** Undefined unless the days of `--day` can still get rows. The clock is that of the pull's first run. */
export function unsettledDays({ questions: { days }, options, client }: OpenedPull): Unsettled | undefined {
  if (days === undefined) return undefined;
  const delay = answerAge(client.target.tier) + Math.ceil(client.meter.age / 1000) + lateRows;
  const completeTo = Math.max(days.from, Math.floor(options.now / 1000) - delay);
  if (completeTo >= days.to) return undefined;
  if (days.endsNow) return { completeTo, problem: "today has not ended", exit: 0 };
  const from = showSeconds(days.to + delay);
  const problem = `${nameOfDays(days)} can still get rows; to fetch all of them, run this again at ${from} or later`;
  return { completeTo, problem, exit: 8 };
}
