import type { ApiRequest } from "../../../api/endpoint.ts";
import type { Client } from "../../../client/client.ts";
import { fixedAllowance, planAllowance } from "../../../client/pace-state.ts";
import { networks, usage } from "../../../api/endpoints/whole-service.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { Failure } from "../../../base/failure.ts";
import { rawAt } from "../../../base/json/path-reader.ts";
import { isAtLeast, plans, type Tier } from "../../../api/tier.ts";
import { candlesOf } from "../../../api/endpoints/prices.ts";
import { maxCandles } from "../../../api/endpoints/ohlcv.ts";
import { nameOf } from "../../../client/subject.ts";
import {
  countBlocks,
  reachAt,
  ruleOf,
  takeStored,
  type TimedPlan,
  wantedLegs,
} from "../../../client/timed-legs.ts";
import { type Estimate, estimate, requestBefore, writeEstimate } from "../../run/spending/estimate.ts";
import { exactNumber } from "../../run/output/local-output.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { writeWarning } from "../../run/report.ts";
import { withSuggestion } from "../input/suggestion.ts";
import { beyondPlan, type Target } from "../../../client/target.ts";
import { grouped } from "../../../base/text/words.ts";
import type { OpenedPull } from "./pull.ts";

/** Sends at most one request, plus retries. */
export async function runEstimate({ context, flags, options, plan, client }: OpenedPull): Promise<ExitCode> {
  const { timed, endpoint, list } = plan;
  const { meter, target } = client;
  const before = requestBefore(plan, networks);
  const told = before && (await countRows(context, client, before));
  const figures = timed ? await estimateTimed(timed, target) : estimate(plan, told);
  const creditsLeft = before === undefined ? await askCreditsLeft(client) : meter.creditsLeft;
  const beyond = beyondPlan(timed ? "prices --at" : endpoint.command, endpoint.plan, target);
  if (beyond !== undefined) await writeWarning(context, beyond);
  const perMinute = options.rpm.value ?? plans[target.tier].requestsPerMinute;
  return await writeEstimate(context, flags, {
    requests: figures.requests ?? null,
    credits: figures.credits ?? null,
    credits_at_most: figures.creditsAtMost,
    credits_per_100_rows: figures.certainty === "unknown" ? Math.ceil(100 / list.pageSize) : undefined,
    rows_at_most: figures.rows ?? null,
    certainty: figures.certainty,
    basis: figures.basis,
    requests_per_minute: perMinute,
    seconds:
      typeof perMinute === "number" ? secondsAt(perMinute, options.rpm.value, figures.requests) : undefined,
    ...(timed && (await otherPlans(timed, target))),
    credits_left: exactNumber(creditsLeft) ?? null,
    estimate_requests: meter.requests,
    estimate_credits: meter.credits + meter.creditsInDoubt,
  });
}

async function countRows(context: Context, client: Client, request: ApiRequest): Promise<unknown> {
  try {
    return (await client.ask(request.endpoint, request.args)).read().value;
  } catch (cause) {
    throw await withSuggestion(cause, { context, client, request });
  }
}

/** Every response contains the remaining credits. If the estimate did not need a request, this one costs a credit. */
async function askCreditsLeft(client: Client): Promise<string | undefined> {
  try {
    const { text } = (await client.ask(usage, new Map())).read();
    return rawAt(text, ["credits", "remaining"]) ?? client.meter.creditsLeft;
  } catch (cause) {
    // If there is no credit for this request, the estimate is still useful.
    if (cause instanceof Failure && cause.exit === 5) return client.meter.creditsLeft;
    throw cause;
  }
}

/** Only the rate limit counts, because response times are unknown. */
function secondsAt(
  perMinute: number,
  rpm: RunOptions["rpm"]["value"],
  requests: number | undefined,
): number | null {
  if (requests === undefined) return null;
  const { sends, window } = rpm === undefined ? planAllowance(perMinute) : fixedAllowance(perMinute);
  return Math.max(1, Math.ceil(((Math.ceil(requests / sends) - 1) * window) / 1000));
}

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
    const blocks = countBlocks(rest, {
      interval: rule.interval,
      most: maxCandles,
      reach: reachAt(rule, target.tier, asset),
    });
    const isQuoteUnknown = asset.kind === "pool" && !timed.quotes(target).tokens.has(nameOf(asset));
    const whole = blocks + (blocks > 0 && isQuoteUnknown ? 1 : 0);
    requests += whole + Math.max(0, blocks - 1) * lookBack;
    atMost += whole + blocks + rest.length * Math.ceil(rule.maxAge / rule.interval / maxCandles);
  }
  return { requests: Math.round(requests), atMost: Math.max(atMost, Math.round(requests)) };
}

async function estimateTimed(timed: TimedPlan, target: Target): Promise<Estimate> {
  const { requests, atMost } = await countTimed(timed, target);
  return {
    requests,
    credits: requests,
    creditsAtMost: atMost,
    rows: timed.inputs.length,
    certainty: "about",
    basis: `up to ${grouped(String(maxCandles))} candles of ${timed.interval} per request; a token with few trades may need more requests`,
  };
}

/** What the same prices cost on other plans, and with candles of 1h and 1m. Times follow from the rate limits. */
async function otherPlans(
  timed: TimedPlan,
  target: Target,
): Promise<Readonly<Record<string, number | null>>> {
  const figures: Record<string, number | null> = {};
  const needsPaid = timed.assets.some(({ kind }) => !isAtLeast("free", candlesOf[kind].plan));
  const tiers: readonly Tier[] = needsPaid ? ["dev", "pro"] : ["keyless", "free", "dev", "pro"];
  for (const interval of new Set([timed.interval, "1h", "1m"]))
    for (const tier of tiers) {
      if (interval === "1m" && plans[tier].hosts === "free") continue;
      const { requests } = await countTimed({ ...timed, interval }, { ...target, tier });
      figures[`${interval}_${tier}_credits`] = requests;
      figures[`${interval}_${tier}_seconds`] = secondsAt(
        plans[tier].requestsPerMinute ?? 0,
        undefined,
        requests,
      );
    }
  return figures;
}
