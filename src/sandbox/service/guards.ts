import type { Endpoint } from "../../api/endpoint.ts";
import { candleReach, finestCandles, isAtLeast, type Tier } from "../../api/tier.ts";
import type { Arrived } from "./arrival.ts";
import { paymentRequired, planRequired, rateLimited, wrongHost } from "./billing-refusals.ts";
import type { Query } from "../wire/query.ts";
import { candleSeconds, DAY, readInstant } from "../wire/request-times.ts";
import { refuse, type Refusal } from "../wire/service-refusal.ts";

/**
 * Returns the first applicable rejection: key, host, plan, rate, credits. Only a request that passes the first three
 * counts toward the rate limit. `cost` is a successful response's cost in credits. `plan` is the rejection of a request
 * that the plan does not include.
 */
export function guard(
  { request, state, caller, account, at }: Arrived,
  cost: number,
  plan: Refusal | undefined,
): Refusal | undefined {
  const isPaid = request.host === "rest_paid" || request.host === "stream_paid";
  // Specification, Authentication 3 and 4: paid hosts require the header on every request, even for the root path.
  if (caller.kind === "invalid") {
    return refuse(401, "invalid_api_key", "invalid API key: send the bare key as the Authorization header");
  }
  if (caller.kind === "keyless" && isPaid) return refuse(401, "unauthorized", "missing Authorization header");
  // Specification, Authentication 5: rejects a valid key on the wrong host, in both directions.
  if (caller.kind === "keyed" && isPaid === (caller.tier === "free")) return wrongHost(caller.tier);
  if (plan !== undefined) return plan;
  const wait = account.rate?.take(state.options.elapsed()) ?? 0;
  if (account.rate !== undefined && wait > 0)
    return rateLimited(account.tier, account.rate.limit, Math.ceil(wait / 1000));
  return account.credits.canPay(cost, at) ? undefined : paymentRequired(account, at);
}

const ascending = ["free", "dev", "pro"] as const;

// Relative times such as `-24h` are based on the client's clock, slightly before the request arrives.
const GRACE_SECONDS = 60;

/** Invalid values pass, because the endpoint rejects them with a 400. */
export function planRefusal({ plan, reply }: Endpoint, { query, account, at }: Arrived): Refusal | undefined {
  const { tier } = account;
  const closed = planRequiredBy(plan, tier);
  if (closed !== undefined || reply.kind !== "candles") return closed;
  const param = beyond(tier, query, at);
  if (param === undefined) return undefined;
  const enough = ascending.find((each) => beyond(each, query, at) === undefined);
  return planRequired(tier, enough ?? "pro", param);
}

/** Specification, Authentication 7: lower tiers have no access to the endpoint at all. */
export function planRequiredBy(plan: Tier, tier: Tier): Refusal | undefined {
  if (isAtLeast(tier, plan)) return undefined;
  const required = ascending.find((each) => each === plan);
  return required === undefined ? undefined : planRequired(tier, required);
}

/** Specification, plan_required: returns the parameter that exceeds the plan. */
function beyond(tier: Tier, query: Query, now: number): string | undefined {
  const interval = candleSeconds(query.raw("interval"));
  if (interval !== undefined && interval < (finestCandles[tier] ?? 0)) return "interval";
  const earliest = now - (candleReach[tier] ?? Number.POSITIVE_INFINITY) - GRACE_SECONDS;
  const [start, end] = ["start", "end"].map((name) => readInstant(query.raw(name) ?? "", now)?.seconds);
  // Checked before `start`, because a caller that requests a number of candles computes `start` from it.
  const countBack = Number(query.raw("count_back") ?? 0);
  if (countBack > 0 && (end ?? now) - countBack * (interval ?? DAY) < earliest) return "count_back";
  if (start !== undefined && start < earliest) return "start";
  if (end !== undefined && end < earliest) return "end";
  return undefined;
}
