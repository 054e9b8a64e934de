import { maxCandles } from "../api/endpoints/ohlcv.ts";
import { candlesOf } from "../api/endpoints/timed-prices.ts";
import { pool as poolEndpoint } from "../api/endpoints/pool.ts";
import { token as tokenEndpoint } from "../api/endpoints/token.ts";
import { Failure } from "../base/failure.ts";
import { divideDecimals } from "../base/json/divide-decimals.ts";
import { member } from "../base/json/json-scan.ts";
import { formatInstant, type Instant, secondsOf, showSeconds } from "../base/time/time.ts";
import { ended, more, type Page, pageOf } from "./page.ts";
import { type ListRequest, plainList, type ListPlan } from "./list-plan.ts";
import { createAnswerCutter } from "./response/byte-rows.ts";
import { parseRow, textRows } from "./rows.ts";
import { addressKey, nameOf } from "./subject.ts";
import {
  ageAt,
  nextBlock,
  pricedCandle,
  type PricedCandle,
  type PriceRule,
  resolveBlock,
  type WantedPrice,
} from "./candles/price-at.ts";
import { askWholeSlice, createGapJudge } from "./candles/slice-answer.ts";
import {
  type Answer,
  reachAt,
  ruleOf,
  takeStored,
  type TimedAsset,
  type TimedPlan,
  wantedLegs,
} from "./timed-legs.ts";
import { inAnyOrder } from "../base/concurrent.ts";
import { sliceBetween } from "./candle-windows.ts";

/** The precision of prices that are quotients, as in the decimal128 format of IEEE 754. */
const quotientDigits = 34;

/** Many rows may wait for one price. */
const pageSize = 1000;
const cut = createAnswerCutter(undefined, { identity: [] });

interface Timed extends ListRequest {
  readonly timed: TimedPlan;
  readonly rule: PriceRule;
}

/**
 * One row for each input, in their order. Each asset's candles are requested newest first, as few as its times need, and
 * are dropped as soon as the times have their price.
 */
export async function* readTimedPrices(request: ListRequest, timed: TimedPlan): AsyncGenerator<Page> {
  const { client, list } = request;
  const { inputs, answers, quote, assets } = timed;
  const { tier } = client.target;
  const rule = ruleOf(timed, tier);
  // The first members of each asset's rows.
  const subjects = assets.map(
    ({ network, address }) => `"chain":${text(network)},"id":${text(addressKey(address))}`,
  );
  const all: Timed = { ...request, timed, rule };
  let next = list.start?.flag === "subject" ? Number(list.start.value) : 0;
  const wanted = wantedLegs(timed, rule, next, answers.set);
  const page = (): Page => {
    const rows: string[] = [];
    const first = next;
    const missing: TimedAsset[] = [];
    for (let input = inputs[next]; input !== undefined && rows.length < pageSize; input = inputs[next]) {
      const [own, other] = [
        answers.get(next),
        quote === undefined ? undefined : answers.get(inputs.length + next),
      ];
      const asset = assets[input.asset];
      if (asset === undefined || own === undefined || (quote !== undefined && other === undefined)) break;
      const { row, isPriced } = rowOf(
        all,
        { asset, subject: subjects[input.asset] ?? "", at: input.at },
        own,
        other,
      );
      rows.push(row);
      if (!isPriced) missing.push(asset);
      answers.forget(next);
      if (quote !== undefined) answers.forget(inputs.length + next);
      next += 1;
    }
    const made =
      cut(Buffer.from(`[${rows.join(",")}]`))?.rows ??
      textRows(rows.map((row) => ({ row, value: parseRow(row) })));
    const end = next < inputs.length ? more({ flag: "subject", value: String(next) }) : ended("inputs");
    return {
      ...pageOf(made, end, [{ kind: "missing", subjects: missing }]),
      lead: timed.lead?.cells.slice(first, next),
    };
  };
  const pages = function* (): Generator<Page> {
    let made = page();
    for (; made.rows.length === pageSize && next < inputs.length; made = page()) yield made;
    yield made;
  };
  yield* pages();
  const asks = [...wanted].map(
    ([asset, legs]) =>
      () =>
        priceAsset(all, assets[asset], legs),
  );
  for await (const _ of inAnyOrder(asks, client.width)) if (next < inputs.length) yield* pages();
}

/** Yields after each response, when `answers` contains it. */
async function* priceAsset(
  all: Timed,
  asset: TimedAsset | undefined,
  legs: readonly WantedPrice[],
): AsyncGenerator<"more"> {
  if (asset === undefined) return;
  const { timed, rule, client } = all;
  const { answers } = timed;
  const endpoint = candlesOf[asset.kind];
  const args = new Map(Object.entries({ ...pathOf(asset), interval: timed.interval }));
  const list: ListPlan = {
    ...plainList(0),
    kind: "candles",
    now: rule.now * 1000,
    expectedTo: rule.asOf * 1000,
    fill: undefined,
    address: undefined,
  };
  const asked = { ...all, endpoint, args, list, maxLimit: maxCandles };
  const withRest = createGapJudge(asked);
  let quote: Promise<string | undefined> | undefined;
  const take = async (priced: readonly (readonly [leg: number, candle: PricedCandle])[]): Promise<void> => {
    if (asset.kind === "pool" && priced.length > 0) quote ??= quoteOf(all, asset);
    const token = await quote;
    for (const [leg, candle] of priced) answers.set(leg, { ...candle, quote: token });
  };
  const stored: [number, PricedCandle][] = [];
  let rest = await takeStored(
    timed,
    client.target,
    asset,
    legs.filter(({ leg }) => answers.get(leg) === undefined),
    (leg, answer) => {
      if (typeof answer === "string") answers.set(leg, answer);
      else stored.push([leg, answer]);
    },
  );
  await take(stored);
  // Time passes during a long pull, so the plan includes less and less.
  let reach = reachAt(rule, client.target.tier, asset);
  for (let refusals = 0; ;) {
    for (const { leg } of rest.filter(({ newest }) => newest < reach)) answers.set(leg, "outside_plan");
    rest = rest.filter(({ newest }) => newest >= reach);
    if (rest.length === 0) break;
    const block = nextBlock(rest, { interval: rule.interval, most: maxCandles, reach });
    const slice = sliceBetween(block.from, block.to + rule.interval, rule.interval);
    try {
      const found = await withRest(slice, await askWholeSlice(asked, slice));
      // The local clock may be ahead, or a cache may have made its copy before the candle closed.
      const shownTo = (client.meter.asOf ?? Number.POSITIVE_INFINITY) / 1000 - rule.interval;
      for (const { leg } of rest.filter(({ newest }) => newest > shownTo)) answers.set(leg, "too_recent");
      rest = rest.filter(({ newest }) => newest <= shownTo);
      const resolved = resolveBlock(rest, block, found, rule.interval);
      for (const { leg } of resolved.none) answers.set(leg, "no_trade");
      await take(resolved.found.map(({ leg, candle }) => [leg, pricedCandle(candle)]));
      ({ rest } = resolved);
    } catch (cause) {
      if (await isUnknown(all, asset, cause)) {
        for (const { leg } of rest) answers.set(leg, "unknown_token");
        rest = [];
      } else if (isTooEarly(cause) && Number.isFinite(reach) && refusals < maxRefusals) {
        reach = Math.max(reach, block.from) + rule.interval * 2 ** refusals;
        refusals += 1;
      } else throw cause;
    }
    yield "more";
  }
  yield "more";
}

/** Each refusal is free, and doubles the step that the plan's reach takes. */
const maxRefusals = 12;

const isTooEarly = (cause: unknown): boolean =>
  cause instanceof Failure && cause.status === 403 && cause.param === "start";

const pathOf = ({ network, address, kind }: TimedAsset) => ({ network, [`${kind}_address`]: address });

/** The edge of the service may report an unknown token as its own failure; then the token itself decides. */
async function isUnknown({ client }: Timed, asset: TimedAsset, cause: unknown): Promise<boolean> {
  if (!(cause instanceof Failure)) return false;
  const { status, code, body } = cause.details;
  if (status === 404) return code !== "unsupported_network" && code !== "route_not_found";
  if (status !== 500 || body?.get("error")?.includes("ORIGIN_ERROR") !== true || asset.kind === "pool")
    return false;
  return await client.ask(tokenEndpoint, new Map(Object.entries(pathOf(asset)))).then(
    () => false,
    (other: unknown) => other instanceof Failure && other.status === 404,
  );
}

/** Undefined if the service does not name the tokens. One request per pool, or none if the disk has the token. */
async function quoteOf({ client, timed: { quotes } }: Timed, pool: TimedAsset): Promise<string | undefined> {
  const known = quotes.find(client.target, pool);
  if (known !== undefined) return known;
  const { value } = (await client.ask(poolEndpoint, new Map(Object.entries(pathOf(pool))))).read();
  const tokens = member(value, "tokens");
  const named =
    member(value, "quote_token_id") ?? member(Array.isArray(tokens) ? tokens[1] : undefined, "id");
  if (typeof named === "string") quotes.keep(client.target, pool, named);
  return typeof named === "string" ? named : undefined;
}

const text = (value: unknown): string => JSON.stringify(value) ?? "null";

function rowOf(
  { timed, rule }: Timed,
  { asset, subject, at }: { readonly asset: TimedAsset; readonly subject: string; readonly at: Instant },
  own: Answer,
  other: Answer | undefined,
): { readonly row: string; readonly isPriced: boolean } {
  const quoteAsset = timed.quote === undefined ? undefined : timed.assets[timed.quote];
  const isPool = asset.kind === "pool";
  const candle = typeof own === "string" ? undefined : own;
  const seconds = secondsOf(at);
  const quotient =
    typeof other === "object" && candle !== undefined
      ? divideDecimals(candle.close, other.close, quotientDigits)
      : undefined;
  const price = isPool ? candle?.close : quotient;
  const quoteToken =
    quoteAsset ?? (candle?.quote === undefined ? undefined : { ...asset, address: candle.quote });
  const hasPrice = quoteAsset === undefined ? candle !== undefined : quotient !== undefined;
  const reason =
    typeof own === "string" ? own : typeof other === "string" ? other : hasPrice ? null : "no_trade";
  const priceUsd = isPool ? "null" : (candle?.close ?? "null");
  const quotedIn = quoteToken && nameOf({ ...quoteToken, address: addressKey(quoteToken.address) });
  const quoted = timed.isQuoted ? `,"price":${price ?? "null"},"quote_token":${text(quotedIn)}` : "";
  const opens = candle === undefined ? "null" : `"${showSeconds(candle.opens)}"`;
  const ageOfOther = typeof other === "object" ? ageAt(seconds, other, rule) : 0;
  const age = candle === undefined ? "null" : Math.max(ageAt(seconds, candle, rule), ageOfOther);
  const row =
    `{${subject},"at":"${formatInstant(at)}","price_usd":${priceUsd}${quoted},"candle":${opens},` +
    `"interval":${text(timed.interval)},"age":${age},"volume_usd":${candle?.volume ?? "null"},"reason":${text(reason)}}`;
  return { row, isPriced: hasPrice };
}
