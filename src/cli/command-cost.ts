import type { Endpoint } from "../contract/endpoint.ts";
import { plans, type Tier } from "../contract/tier.ts";

/** What one run of a command of the service costs, in words. */
export function costOf([endpoint]: readonly Endpoint[]): string {
  return endpoint?.reply.kind === "batch" ? "one an address" : "one a request";
}

/** The plans that may ask; where one of several endpoints is chosen by a flag, with that flag. */
export function planOf(group: readonly Endpoint[]): string {
  const needed = group.map(({ chosenBy, plan }) =>
    chosenBy === undefined ? planName(plan) : `with --${chosenBy} ${planName(plan)}`,
  );
  return [...new Set(needed)].join("; ");
}

function planName(tier: Tier): string {
  return plans[tier].hosts === "paid" ? `${tier} or higher` : "any, also without a key";
}
