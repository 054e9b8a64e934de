import type { Args } from "../api/endpoint.ts";
import { maxCandles } from "../api/endpoints/ohlcv.ts";
import { wellKnownNetworks } from "../api/known-networks.ts";
import { candlesOf } from "../api/endpoints/prices.ts";
import type { NoPriceReason } from "../api/record.ts";
import { pool as poolEndpoint } from "../api/endpoints/pool-and-token.ts";
import { Failure } from "../base/failure.ts";
import { divideDecimals } from "../base/json/exact-decimal.ts";
import { member } from "../base/json/json-scan.ts";
import { formatInstant, secondsOf, showSeconds } from "../base/time/time.ts";
import type { Client } from "./client.ts";
import { ended, more, type Page, pageOf, remark } from "./page.ts";
import { readRecord } from "./read-pages.ts";
import { type ListRequest, plainList, type ListPlan } from "./list-plan.ts";
import { createAnswerCutter } from "./response/byte-rows.ts";
import { parseRow, textRows } from "./rows.ts";
import { addressKey, nameOf } from "./subject.ts";
import { doubtfulNetworks } from "./unknown-network.ts";
import {
  ageAt,
  type Answer,
  nextBlock,
  pricedCandle,
  type Resolved,
  type PriceRule,
  resolveBlock,
  type WantedPrice,
  reachAt,
  ruleOf,
  takeStored,
  type TimedAsset,
  type TimedPlan,
  wantedLegs,
} from "./timed-legs.ts";
import {
  askWholeSlice,
  countReplaced,
  createGapJudge,
  isRefusal,
  planReach,
} from "./candles/slice-answer.ts";
import { inAnyOrder, type Send, yieldToSocket } from "../base/concurrent.ts";
import { sliceBetween } from "./candle-windows.ts";

/** The precision of prices that are quotients, as in the decimal128 format of IEEE 754. */
const quotientDigits = 34;

const zeroQuote: NoPriceReason = "zero_quote";

/** Many rows may wait for one price; larger pages of them would be copied often by the garbage collector. */
const pageSize = 100;
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
  const { inputs, answers, assets, lead, quote } = timed;
  const rule = ruleOf(timed, client.target.tier);
  const all: Timed = { ...request, timed, rule };
  let next = list.start?.flag === "subject" ? Number(list.start.value) : 0;
  let replaced = 0;
  const wanted = wantedLegs(timed, rule, next, answers.set);
  /** The next rows whose prices are known: up to the first other one, or at an early end, all of them. */
  const pages = function* (isEarlyEnd = false): Generator<Page> {
    let isFull = true;
    while (isFull) {
      const [done, rows, missing]: [number[], string[], TimedAsset[]] = [[], [], []];
      for (; rows.length < pageSize && next < inputs.length; next += 1) {
        const made = rowOf(all, next);
        if (made === undefined) {
          if (isEarlyEnd) continue;
          break;
        }
        done.push(next);
        rows.push(made.row);
        if (made.missing !== undefined) missing.push(made.missing);
        answers.forget(next);
        if (quote !== undefined) answers.forget(inputs.length + next);
      }
      const made =
        cut(Buffer.from(`[${rows.join(",")}]`))?.rows ??
        textRows(rows.map((row) => ({ row, value: parseRow(row) })));
      const isLast = next === inputs.length && !isEarlyEnd;
      const end = isLast ? ended("inputs") : more({ flag: "subject", value: String(next) }, [], isEarlyEnd);
      const notes = [{ kind: "missing", subjects: missing }, ...remark("replaced", replaced)] as const;
      replaced = 0;
      yield { ...pageOf(made, end, notes), lead: lead && done.map((index) => lead.cells[index] ?? []) };
      isFull = rows.length === pageSize && next < inputs.length;
    }
  };
  yield* pages();
  const asks = function* () {
    for (const [asset, legs] of wanted) {
      // The wanted times of a long list do not stay in memory until the end.
      wanted.delete(asset);
      yield (send: Send) => priceAsset({ ...all, client: sendingBy(client, send) }, assets[asset], legs);
    }
  };
  try {
    for await (const count of inAnyOrder(asks(), client.width)) {
      replaced += count;
      if (next < inputs.length) yield* pages();
    }
  } catch (cause) {
    // The prices behind one that is missing are paid for. A resumed pull has them in its checkpoint.
    if (cause instanceof Failure) yield* pages(true);
    throw cause;
  }
}

/** Another request is sent before the response to this one is used. */
function sendingBy(client: Client, send: Send): Client {
  const ask: Client["ask"] = async (...wanted) => {
    const document = await send(() => client.ask(...wanted));
    await yieldToSocket();
    return document;
  };
  return { ...client, ask };
}

/** Yields after each response, when `answers` contains it: how many of its candles a later state has replaced. */
async function* priceAsset(
  all: Timed,
  asset: TimedAsset | undefined,
  legs: readonly WantedPrice[],
): AsyncGenerator<number> {
  if (asset === undefined) return;
  const { timed, rule, client } = all;
  const { answers } = timed;
  const { interval } = rule;
  const endpoint = candlesOf[asset.kind];
  const args = new Map([...pathOf(asset), ["interval", timed.interval]]);
  const marks = { now: rule.now * 1000, expectedTo: rule.asOf * 1000, fill: undefined, address: undefined };
  const list: ListPlan = { ...plainList(0), kind: "candles", ...marks };
  const asked = { ...all, endpoint, args, list, maxLimit: maxCandles, made: undefined };
  const withRest = createGapJudge(asked);
  const answerAll = (wanted: readonly WantedPrice[], reason: NoPriceReason): void => {
    for (const { leg } of wanted) answers.set(leg, reason);
  };
  let quote: Promise<string | undefined> | undefined;
  const take = async ({ found, none }: Resolved): Promise<void> => {
    answerAll(none, "no_trade");
    const priced = found.map(({ leg, candle }) => [leg, pricedCandle(candle)] as const);
    if (asset.kind === "pool" && found.length > 0) quote ??= quoteOf(all, asset);
    const token = await quote;
    for (const [leg, { opens, close, volume }] of priced)
      answers.set(leg, { opens, close, volume, quote: token });
  };
  const unanswered = legs.filter(({ leg }) => answers.get(leg) === undefined);
  let rest = await takeStored(timed, client.target, asset, unanswered, take);
  // Time passes during a long pull, so the plan includes less and less.
  let reach = reachAt(rule, client.target.tier, asset);
  for (let refusals = 0; ;) {
    answerAll(
      rest.filter(({ newest }) => newest < reach),
      "outside_plan",
    );
    rest = rest.filter(({ newest }) => newest >= reach);
    if (rest.length === 0) break;
    const block = nextBlock(rest, { interval, most: maxCandles, reach });
    const slice = sliceBetween(block.from, block.to + interval, interval);
    let replaced = 0;
    try {
      const found = await withRest(slice, await askWholeSlice(asked, slice));
      replaced = countReplaced(found);
      // The local clock may be ahead, or a cache may have made its copy before the candle closed.
      const shownTo = (client.meter.asOf ?? Number.POSITIVE_INFINITY) / 1000 - interval;
      answerAll(
        rest.filter(({ newest }) => newest > shownTo),
        "too_recent",
      );
      rest = rest.filter(({ newest }) => newest <= shownTo);
      const resolved = resolveBlock(rest, block, found, interval);
      await take(resolved);
      ({ rest } = resolved);
    } catch (cause) {
      const failure = await failureOf(all, asset, cause);
      const isAtEdge = block.from < planReach(asked) + 2 * interval;
      if (failure === undefined) {
        answerAll(rest, "unknown_token");
        rest = [];
      } else if (isTooEarly(failure, isAtEdge) && Number.isFinite(reach) && refusals < maxRefusals) {
        reach = Math.max(reach, block.from) + interval * 2 ** refusals;
        refusals += 1;
      } else throw failure;
    }
    yield replaced;
  }
  yield 0;
}

/** Each refusal is free, and doubles the step that the plan's reach takes. */
const maxRefusals = 12;

/** At the edge of the plan's reach, a refusal that names no parameter is about the start, as for other candles. */
const isTooEarly = (cause: unknown, isAtEdge: boolean): boolean =>
  isRefusal(cause) && (cause.param === "start" || (cause.param === undefined && isAtEdge));

const pathOf = ({ network, address, kind }: TimedAsset): Args =>
  new Map([
    ["network", network],
    [`${kind}_address`, address],
  ]);

/**
 * Undefined if the asset is unknown, which ends nothing. Only a list of the networks shows that it is the network that is
 * unknown, and without that list, the failure remains.
 */
async function failureOf({ client, timed }: Timed, asset: TimedAsset, cause: unknown): Promise<unknown> {
  if (!(cause instanceof Failure) || cause.status !== 404) return cause;
  const args = pathOf(asset);
  const isSurelyKnown = wellKnownNetworks.has(asset.network);
  const request = { endpoint: candlesOf[asset.kind], args };
  const judged = isSurelyKnown ? cause : await timed.judge(cause, client, request);
  if (judged.code === "unsupported_network" || judged.code === "route_not_found") return judged;
  const isUndecided = judged === cause && doubtfulNetworks(cause, args) !== undefined;
  return isUndecided ? judged : undefined;
}

/** Undefined if the service does not name the tokens. One request per pool, or none if the disk has the token. */
async function quoteOf({ client, timed }: Timed, pool: TimedAsset): Promise<string | undefined> {
  const { tokens, save } = timed.quotes(client.target);
  const known = tokens.get(nameOf(pool));
  if (known !== undefined) return known;
  const value = await readRecord(client, poolEndpoint, pathOf(pool));
  const ofPool = member(value, "tokens");
  const named =
    member(value, "quote_token_id") ?? member(Array.isArray(ofPool) ? ofPool[1] : undefined, "id");
  if (typeof named !== "string") return undefined;
  tokens.set(nameOf(pool), named);
  save();
  return named;
}

/** Strings as JSON. */
const text = (value: string | null): string => JSON.stringify(value);

/** Undefined until the answers of the input are known. `missing` is its asset if it has no price. */
function rowOf(
  { timed, rule }: Timed,
  index: number,
): { readonly row: string; readonly missing: TimedAsset | undefined } | undefined {
  const { inputs, assets, answers, quote } = timed;
  const input = inputs[index];
  const asset = input && assets[input.asset];
  const own = answers.get(index);
  const other = quote === undefined ? own : answers.get(inputs.length + index);
  if (input === undefined || asset === undefined || own === undefined || other === undefined)
    return undefined;
  const candle = typeof own === "object" ? own : undefined;
  const otherCandle = typeof other === "object" ? other : undefined;
  const quotient =
    quote === undefined
      ? undefined
      : candle && otherCandle && divideDecimals(candle.close, otherCandle.close, quotientDigits);
  const hasPrice = quote === undefined ? candle !== undefined : quotient !== undefined;
  // Two candles have no quotient if the price of the other one is 0.
  const reason = hasPrice ? null : (reasonIn(own) ?? reasonIn(other) ?? zeroQuote);
  const priceUsd = asset.kind === "pool" ? undefined : candle?.close;
  const opens = candle === undefined ? "null" : `"${showSeconds(candle.opens)}"`;
  const seconds = secondsOf(input.at);
  const age = candle && Math.max(ageAt(seconds, candle, rule), ageAt(seconds, otherCandle ?? candle, rule));
  const row =
    `{"chain":${text(asset.network)},"id":${text(addressKey(asset.address))},"at":"${formatInstant(input.at)}",` +
    `"price_usd":${priceUsd ?? "null"}${quotedPart(timed, asset, candle, quotient)},"candle":${opens},"interval":"${timed.interval}","age":${age ?? "null"},` +
    `"volume_usd":${candle?.volume ?? "null"},"reason":${text(reason)}}`;
  return { row, missing: hasPrice ? undefined : asset };
}

/** For pools and with `quote`; `quotient` is the price with `quote`. */
function quotedPart(
  { assets, isQuoted, quote }: TimedPlan,
  asset: TimedAsset,
  candle: Exclude<Answer, string> | undefined,
  quotient: string | undefined,
): string {
  if (!isQuoted) return "";
  const price = asset.kind === "pool" ? candle?.close : quotient;
  const ofPool = candle?.quote === undefined ? undefined : { ...asset, address: candle.quote };
  const token = quote === undefined ? ofPool : assets[quote];
  const quoteToken = token === undefined ? null : `${token.network}:${addressKey(token.address)}`;
  return `,"price":${price ?? "null"},"quote_token":${text(quoteToken)}`;
}

const reasonIn = (answer: Answer): NoPriceReason | undefined =>
  typeof answer === "string" ? answer : undefined;
