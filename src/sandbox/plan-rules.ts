import type { EndpointId } from "../contract/endpoints/all.ts";
import type { Tier } from "../contract/tier.ts";
import { planRequired } from "./billing-refusals.ts";
import { readInstant } from "./instant.ts";
import type { Query } from "./query.ts";
import { candleSeconds } from "./candle-intervals.ts";
import type { Refusal } from "./refusal.ts";

const DAY = 86_400;

/** Specification, Authentication 7: closed to keyless and free callers as a whole. */
const paidOnly: ReadonlySet<EndpointId> = new Set(["pool_transactions", "token_ohlcv"]);

/** How far back candles reach, and how fine they are; wire-facts 2.2. */
interface CandleLimits {
  readonly reachSeconds: number;
  readonly finest: number;
}

const unlimited: CandleLimits = { reachSeconds: Number.POSITIVE_INFINITY, finest: 0 };

const candleLimits: Readonly<Record<Tier, CandleLimits>> = {
  keyless: { reachSeconds: DAY, finest: 3600 },
  free: { reachSeconds: 7 * DAY, finest: 600 },
  dev: { reachSeconds: 30 * DAY, finest: 0 },
  pro: unlimited,
  enterprise: unlimited,
};

const ascending = ["free", "dev", "pro"] as const;

// A client counts `-24h` from its own clock, a moment before the request arrives.
const GRACE_SECONDS = 60;

/** What the caller's plan does not include. Values that cannot be read are left to the 400 of the endpoint. */
export function planRefusal(
  endpoint: EndpointId,
  query: Query,
  tier: Tier,
  now: number,
): Refusal | undefined {
  if (paidOnly.has(endpoint) && (tier === "keyless" || tier === "free")) return planRequired(tier, "dev");
  if (endpoint !== "pool_ohlcv" && endpoint !== "token_ohlcv") return undefined;
  const param = beyond(candleLimits[tier], query, now);
  if (param === undefined) return undefined;
  const enough = ascending.find((each) => beyond(candleLimits[each], query, now) === undefined);
  return planRequired(tier, enough ?? "pro", param);
}

/** Specification, plan_required: interval, start, end or count_back, whichever asks for more than the plan has. */
function beyond(limits: CandleLimits, query: Query, now: number): string | undefined {
  const interval = candleSeconds(query.raw("interval"));
  if (interval !== undefined && interval < limits.finest) return "interval";
  const earliest = now - limits.reachSeconds - GRACE_SECONDS;
  const [start, end] = ["start", "end"].map((name) => readInstant(query.raw(name) ?? "", now)?.seconds);
  // Before `start`: who asks for a number of candles has computed the start from it.
  const countBack = Number(query.raw("count_back") ?? 0);
  if (countBack > 0 && (end ?? now) - countBack * (interval ?? DAY) < earliest) return "count_back";
  if (start !== undefined && start < earliest) return "start";
  if (end !== undefined && end < earliest) return "end";
  return undefined;
}
