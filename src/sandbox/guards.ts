import type { Arrived } from "./arrival.ts";
import { paymentRequired, rateLimited, wrongHost } from "./billing-refusals.ts";
import { isPaidHost } from "./sandbox-exchange.ts";
import { refuse, type Refusal } from "./service-refusal.ts";

/**
 * The first refusal of: key, host, plan, rate, credits. A plan's refusal stands whatever credits are left, and only
 * a request that passes the first three takes a place in the minute. Removed paths have been answered before.
 *
 * @param elapsed real milliseconds
 * @param cost credits that the answer will cost when all goes well
 * @param plan what the caller's plan does not include
 */
export function guard(
  arrived: Arrived,
  elapsed: number,
  cost: number,
  plan: () => Refusal | undefined,
): Refusal | undefined {
  return (
    keyRefusal(arrived) ??
    hostRefusal(arrived) ??
    plan() ??
    rateRefusal(arrived, elapsed) ??
    creditRefusal(arrived, cost)
  );
}

/** Specification, Authentication 3 and 4: a paid host needs the header on every request, the root path included. */
function keyRefusal({ request: { host }, caller }: Arrived): Refusal | undefined {
  if (caller.kind === "invalid") {
    return refuse(401, "invalid_api_key", "invalid API key: send the bare key as the Authorization header");
  }
  if (caller.kind === "keyless" && isPaidHost(host)) {
    return refuse(401, "unauthorized", "missing Authorization header");
  }
  return undefined;
}

/** Specification, Authentication 5: a right key on the wrong host, in both directions. */
function hostRefusal({ request: { host }, caller }: Arrived): Refusal | undefined {
  if (caller.kind !== "keyed") return undefined;
  return isPaidHost(host) === (caller.tier !== "free") ? undefined : wrongHost(caller.tier);
}

function rateRefusal({ account }: Arrived, elapsed: number): Refusal | undefined {
  if (account.rate === undefined) return undefined;
  const wait = account.rate.take(elapsed);
  return wait === 0 ? undefined : rateLimited(account.tier, account.rate.limit, wait);
}

function creditRefusal({ account, at }: Arrived, cost: number): Refusal | undefined {
  return account.credits.canPay(cost, at) ? undefined : paymentRequired(account, at);
}
