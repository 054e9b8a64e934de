import { usageFailure } from "../../contract/failure.ts";
import { plans, type Tier } from "../../contract/tier.ts";
import { estimate } from "../../pull/estimate.ts";
import type { Questions } from "../asking/questions.ts";
import { counted } from "../../text/counted.ts";
import type { RunOptions } from "../run-options.ts";
import type { WatchWishes } from "./watch-flags.ts";

/** What a watch asks for in an hour, at most. */
export interface HourlyCost {
  readonly requests: number;
  readonly credits: number;
}

/** Two rounds of rows are held to be compared. */
const mostRows = 10_000;
const hour = 3_600_000;

/** Refuses rounds that are too large to be held, or more requests than leave in that time. */
export function hourlyCost(
  { interval, typed }: WatchWishes,
  questions: Questions,
  { rpm }: Pick<RunOptions, "rpm">,
  tier: Tier,
): HourlyCost {
  const { requests, rows, credits, creditsAtMost = credits } = estimate(questions, undefined);
  if (requests === undefined || creditsAtMost === undefined || (rows ?? 0) > mostRows) {
    throw usageFailure(
      `--watch "${typed}": a round may bring ${mostRows} rows at most`,
      "narrow what is asked for",
    );
  }
  const perMinute = rpm.value ?? plans[tier].requestsPerMinute;
  if (typeof perMinute === "number" && (requests * 60_000) / interval > perMinute) {
    const shortest = Math.ceil((requests * 60) / perMinute);
    throw usageFailure(
      `--watch "${typed}": a round is ${counted(requests, "request")}, and ${perMinute} leave a minute`,
      `ask for less, or every ${shortest}s`,
    );
  }
  const rounds = hour / interval;
  return { requests: Math.ceil(requests * rounds), credits: Math.ceil(creditsAtMost * rounds) };
}

export function costSentence({ typed }: WatchWishes, { requests, credits }: HourlyCost): string {
  return `watching every ${typed}: up to ${counted(requests, "request")}, ${counted(credits, "credit")} an hour`;
}
