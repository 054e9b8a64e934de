import { plans, type Tier } from "../../../api/tier.ts";
import { usageFailure } from "../../../base/failure.ts";
import { counted } from "../../../base/text/words.ts";
import { estimate } from "../../run/spending/estimate.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { PullPlan } from "../input/pull-plan.ts";

/** Two rounds are in memory at the same time, because they are compared. */
const maxRows = 10_000;
const hour = 3_600_000;

/** Returns the cost per hour. Rejects rounds that do not fit into memory or that exceed the rate limit. */
export function hourlyCost(
  { interval, every }: { readonly interval: number; readonly every: string },
  plan: PullPlan,
  { rpm }: RunOptions,
  tier: Tier,
): { readonly requests: number; readonly credits: number } {
  const { requests, rows, credits, creditsAtMost = credits } = estimate(plan, undefined);
  if (requests === undefined || creditsAtMost === undefined || (rows ?? 0) > maxRows)
    throw usageFailure(
      `--watch "${every}": each refresh is limited to ${counted(maxRows, "row")}`,
      "request fewer rows",
    );
  const perMinute = rpm.value ?? plans[tier].requestsPerMinute;
  if (typeof perMinute === "number" && (requests * 60_000) / interval > perMinute) {
    const shortest = Math.ceil((requests * 60) / perMinute);
    throw usageFailure(
      `--watch "${every}": each refresh takes ${counted(requests, "request")}, but the rate limit is ${perMinute} requests/min`,
      `send fewer requests per refresh, or refresh less often: --watch ${shortest}s`,
    );
  }
  const rounds = hour / interval;
  return { requests: Math.ceil(requests * rounds), credits: Math.ceil(creditsAtMost * rounds) };
}
