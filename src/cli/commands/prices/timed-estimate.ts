import { maxCandles } from "../../../api/endpoints/ohlcv.ts";
import { candlesOf } from "../../../api/endpoints/timed-prices.ts";
import { isAtLeast, plans, type Tier } from "../../../api/tier.ts";
import {
  countBlocks,
  reachAt,
  ruleOf,
  takeStored,
  type TimedPlan,
  wantedLegs,
} from "../../../client/timed-legs.ts";
import type { Target } from "../../../client/target.ts";
import type { Estimate } from "../../run/spending/estimate.ts";

/**
 * A time at the start of a response may have its candle in an earlier one, if there was no trade in between. Then fewer
 * of the other times share the next request, which costs about this part of a request for each but the first.
 */
const lookBack = 0.015;

/** The requests that the prices need on a plan, and those that they may need if there are few trades. */
async function countTimed(timed: TimedPlan, target: Target) {
  const rule = ruleOf(timed, target.tier);
  let [requests, atMost] = [0, 0];
  for (const [index, legs] of wantedLegs(timed, rule, 0, () => undefined)) {
    const asset = timed.assets[index];
    if (asset === undefined) continue;
    const rest = await takeStored(timed, target, asset, legs, () => undefined);
    const blocks = countBlocks(rest, rule.interval, maxCandles, reachAt(rule, target.tier, asset));
    const isQuoteUnknown = asset.kind === "pool" && timed.quotes.find(target, asset) === undefined;
    const whole = blocks + (blocks > 0 && isQuoteUnknown ? 1 : 0);
    requests += whole + Math.max(0, blocks - 1) * lookBack;
    atMost += whole + blocks + rest.length * Math.ceil(rule.maxAge / rule.interval / maxCandles);
  }
  return { requests: Math.round(requests), atMost: Math.max(atMost, Math.round(requests)) };
}

export async function estimateTimed(timed: TimedPlan, target: Target): Promise<Estimate> {
  const { requests, atMost } = await countTimed(timed, target);
  return {
    requests,
    credits: requests,
    creditsAtMost: atMost,
    rows: timed.inputs.length,
    certainty: "about",
    basis: `up to ${maxCandles} candles of ${timed.interval} per request; a token with few trades may need more requests`,
  };
}

/** What the same prices cost on other plans, and with candles of 1h and 1m. Times follow from the rate limits. */
export async function otherPlans(
  timed: TimedPlan,
  target: Target,
  secondsAt: (perMinute: number, requests: number) => number | null,
): Promise<Readonly<Record<string, number | null>>> {
  const figures: Record<string, number | null> = {};
  const needsPaid = timed.assets.some(({ kind }) => !isAtLeast("free", candlesOf[kind].plan));
  const tiers: readonly Tier[] = needsPaid ? ["dev", "pro"] : ["keyless", "free", "dev", "pro"];
  for (const interval of new Set([timed.interval, "1h", "1m"]))
    for (const tier of tiers) {
      if (interval === "1m" && plans[tier].hosts === "free") continue;
      const { requests } = await countTimed({ ...timed, interval }, { ...target, tier });
      figures[`${interval}_${tier}_credits`] = requests;
      figures[`${interval}_${tier}_seconds`] = secondsAt(plans[tier].requestsPerMinute ?? 0, requests);
    }
  return figures;
}
