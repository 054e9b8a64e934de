import { showSeconds } from "../../base/time/time.ts";
import { token as tokenEndpoint } from "../../api/endpoints/pool-and-token.ts";
import { candleReach, isAtLeast } from "../../api/tier.ts";
import { Failure, invalidResponse } from "../../base/failure.ts";
import { inOrder } from "../../base/concurrent.ts";
import { ended, more, type Page, pageOf, type Position, readRows, remark } from "../page.ts";
import type { ListRequest } from "../list-plan.ts";
import {
  type CandleSlice,
  candleWindow,
  intervalOf,
  intervalSeconds,
  nextIntervalStart,
  openingOf,
  restOf,
  sliceBetween,
  slicesOf,
  wholeSeconds,
  type MadeInterval,
} from "../candle-windows.ts";
import { createPlainTimes } from "../../base/time/plain-times.ts";
import type { Document } from "../document.ts";
import { createAnswerCutter } from "../response/byte-rows.ts";
import { type LocatedRows, parseRow, type Rows, textRows } from "../rows.ts";

export interface SliceRequest extends ListRequest {
  readonly maxLimit: number;
  /** Set if the candles are requested for longer ones. */
  readonly made: MadeInterval | undefined;
}

/**
 * Requests several slices at once. A service may include `end` in the range: a candle on the boundary between two slices
 * then belongs to the later one, where a resumed pull begins, and one at the very end of the entire range is excluded.
 */
export async function* readSlices(request: SliceRequest): AsyncGenerator<Page> {
  const { client, args, list, maxLimit } = request;
  const window = candleWindow(args, list.start?.value);
  const withRest = createGapJudge(request);
  let newest = Number.NEGATIVE_INFINITY;
  let carried: readonly Candle[] = [];
  const asks = function* () {
    for (const slice of slicesOf(window, maxLimit))
      yield async () => ({ slice, answer: await askIncludedSlice(request, slice) });
  };
  for await (const { slice, answer } of inOrder(asks(), client.width, { firstAlone: true })) {
    const isLast = slice.end === window.end;
    const end = wholeSeconds(slice.end);
    const kept: Candle[] = [];
    let [repeats, replaced] = [0, 0];
    const all = [...carried, ...(await withRest(slice, answer))];
    carried = all.filter(({ opens }) => opens >= end);
    for (const candle of all.slice(0, all.length - carried.length)) {
      const before = kept.at(-1);
      if (before?.opens === candle.opens && before.row() !== candle.row()) {
        // Both are states of one candle, and the response lists the later state last.
        kept[kept.length - 1] = candle;
        replaced += 1;
      } else if (candle.opens <= newest) repeats += 1;
      else kept.push(candle);
      newest = Math.max(newest, candle.opens);
    }
    const pageEnd = isLast ? ended("end of list") : more(positionOf(slice.end));
    const page = pageOf(candleRows(kept), pageEnd, [
      { kind: "repeats", rows: repeats },
      ...remark("replaced", replaced),
    ]);
    yield { ...page, at: slice.start === args.get("start") ? undefined : positionOf(slice.start) };
  }
}

/** How many candles are followed by a later state of the same candle. */
export const countReplaced = (candles: readonly Candle[]): number =>
  candles.filter(({ opens, row }, index) => {
    const next = candles[index + 1];
    return next?.opens === opens && next.row() !== row();
  }).length;

const positionOf = (value: string): Position => ({ flag: "from", value });

/** Row counts at which the public service has stopped: 10 without `limit`, and a past maximum (wire-facts 4.4). */
const knownCaps: ReadonlySet<number> = new Set([10, 366]);

export function mayBeCapped({ maxLimit }: SliceRequest, { touched }: CandleSlice, candles: number): boolean {
  return knownCaps.has(candles) || candles >= Math.min(touched, maxLimit);
}

/** The candles of a slice. `isConfirmed` is true if those after the last one were also requested. */
export interface SliceAnswer {
  readonly candles: readonly Candle[];
  readonly isConfirmed: boolean;
}

/**
 * A plan counts how far back its candles reach from when a request arrives, so by then, a start of `-24h` may be out of
 * reach. The rest of the slice, from the next interval on, has the same candles.
 */
async function askIncludedSlice(request: SliceRequest, slice: CandleSlice): Promise<SliceAnswer> {
  try {
    return await askWholeSlice(request, slice);
  } catch (cause) {
    const from = wholeSeconds(slice.start);
    const next = nextIntervalStart(from, slice.interval);
    const isOfStart = isRefusal(cause) && [undefined, "start"].includes(cause.param);
    const isInReach = from < next && next > planReach(request);
    const rest = isOfStart && isInReach ? restOf(slice, from) : undefined;
    if (rest === undefined) throw cause;
    return await askWholeSlice(request, rest);
  }
}

/** The plan may not include candles this old. */
export function isRefusal(cause: unknown): cause is Failure {
  return cause instanceof Failure && cause.status === 403;
}

/** The earliest time of the candles that the plan includes, in Unix seconds; NaN if it is unknown. */
export function planReach({ client, endpoint, list }: SliceRequest): number {
  const { tier } = client.target;
  const reach = isAtLeast(tier, endpoint.plan) ? candleReach[tier] : undefined;
  return list.kind === "candles" && reach !== undefined ? list.now / 1000 - reach : Number.NaN;
}

/** Requests the rest if a response may be truncated: an unnecessary request is better than silent data loss. */
export async function askWholeSlice(request: SliceRequest, slice: CandleSlice): Promise<SliceAnswer> {
  const candles: Candle[] = [];
  for (let rest = slice, requests = 1; ; requests += 1) {
    const answer = await askSlice(request, rest);
    candles.push(...answer);
    const last = mayBeCapped(request, rest, answer.length) ? answer.at(-1) : undefined;
    const after = last === undefined ? undefined : restOf(rest, last.opens);
    if (after === undefined) return { candles, isConfirmed: requests > 1 };
    rest = after;
  }
}

/**
 * Without `limit`, the public service returns only 10 candles, so `limit` is the most that the slice can contain. If
 * any candles are outside the time range, the response belongs to another slice, and the request is repeated.
 */
export async function askSlice(
  request: SliceRequest,
  slice: CandleSlice,
  isCountedBack = false,
): Promise<readonly Candle[]> {
  const { client, endpoint, args, maxLimit } = request;
  const { start, end } = slice;
  const limit = String(Math.min(slice.touched, maxLimit));
  const query = new Map([...args, ["start", start], ["end", end], ["limit", limit]]);
  if (!isCountedBack) query.delete("count_back");
  for (let repeats = 1; ; repeats += 1) {
    const document = await client.ask(endpoint, query).catch(async (cause: unknown) => {
      throw await failureOfToken(request, cause);
    });
    const candles = readCandles(document);
    // With `count_back`, candles may precede `start`, because the service may ignore `start`.
    const from = isCountedBack ? Number.NEGATIVE_INFINITY : wholeSeconds(start);
    const problem = ofOtherInterval(candles, args.get("interval") ?? "") ?? misplaced(candles, slice, from);
    if (problem === undefined) return candles;
    if (!(await client.again(repeats, problem))) throw invalidResponse(problem);
  }
}

/**
 * The edge of the service may report an unknown token as its own failure (wire-facts 4.5). Then the token itself decides,
 * because an unknown one must not end a list.
 */
async function failureOfToken({ client, args }: SliceRequest, cause: unknown): Promise<unknown> {
  const isOfEdge =
    cause instanceof Failure &&
    cause.status === 500 &&
    cause.details.body?.get("error")?.includes("ORIGIN_ERROR") === true;
  if (!isOfEdge || !args.has("token_address")) return cause;
  const token = new Map([...args].filter(([name]) => name === "network" || name === "token_address"));
  const other = await client.ask(tokenEndpoint, token).catch((failure: unknown) => failure);
  return other instanceof Failure && other.status === 404 ? other : cause;
}

/** A cache may confuse requests. Only the last candle of a response, which may be partial, can close early. */
function ofOtherInterval(candles: readonly Candle[], asked: string): string | undefined {
  const [first] = candles;
  const other = first && intervalOf(parseRow(first.row()));
  const difference = other === undefined ? 0 : intervalSeconds(other) - intervalSeconds(asked);
  const isOther = difference > 0 || (difference < 0 && candles.length > 1);
  return isOther ? `the service sent candles of ${other} instead of ${asked}` : undefined;
}

/** Misplaced candles would be output in the wrong position. The service may extend the range to complete candles. */
function misplaced(
  candles: readonly Candle[],
  { end, interval }: CandleSlice,
  start: number,
): string | undefined {
  const earliest = Math.floor(start / interval) * interval;
  const latest = Math.ceil(wholeSeconds(end) / interval) * interval;
  let before = Number.NEGATIVE_INFINITY;
  for (const { opens } of candles) {
    if (opens < before)
      return `the candles are out of order: ${showSeconds(opens)} follows ${showSeconds(before)}`;
    if (opens < earliest || opens > latest) {
      const request = `${Number.isFinite(start) ? `from ${showSeconds(start)} ` : ""}to ${showSeconds(wholeSeconds(end))}`;
      return `the service sent a candle for ${showSeconds(opens)}, outside the requested range ${request}`;
    }
    before = opens;
  }
  return undefined;
}

/** A slice has few gaps that are unlikely, unless its market is not as regular as assumed. */
const maxGapRequests = 3;
/** A gap of up to this many intervals is never taken as a sign of a truncated response. */
const defaultGap = 9;
/** The rest after a gap is requested if the gap is less likely than this, judging by the market's other gaps. */
const unlikely = 1e-4;

/**
 * Returns a function that checks one market's slices, in any order. If a slice's candles end long before the slice
 * does, although the market has few gaps, the rest is requested again. If the rest is empty, the market is considered
 * quiet until it has candles again. No candles are expected after the start of the run. A long gap between two candles
 * is requested again too, even between adjacent slices; if it has no candles, gaps of that length are accepted
 * from then on.
 */
export function createGapJudge(request: SliceRequest) {
  const { list } = request;
  const expectedTo = list.kind === "candles" ? list.expectedTo : Number.POSITIVE_INFINITY;
  let [intervals, trades] = [0, 0];
  let isQuiet = false;
  let longestGap = defaultGap;
  const isUnlikely = (gap: number): boolean => {
    const share = intervals === 0 ? 0 : Math.min(1, trades / intervals);
    // Before the first candle, nothing is known about how often the market trades.
    return intervals === 0 || (1 - share) ** gap < unlikely;
  };
  /** Undefined if the gap is not long enough to be a sign of missing candles. */
  const readGap = async (
    from: number,
    to: number,
    interval: number,
  ): Promise<readonly Candle[] | undefined> => {
    const gap = (to - from) / interval;
    if (gap <= longestGap || !isUnlikely(gap)) return undefined;
    const { candles } = await askWholeSlice(request, sliceBetween(from, to, interval));
    const found = candles.filter(({ opens }) => opens < to);
    if (found.length === 0) longestGap = gap;
    trades += found.length;
    return found;
  };
  const withoutHoles = async (
    { interval }: CandleSlice,
    candles: readonly Candle[],
  ): Promise<readonly Candle[]> => {
    let whole = candles;
    for (let requests = 0; requests < maxGapRequests; requests += 1) {
      const at = afterLongestGap(whole);
      const [before, after] = [whole[at - 1], whole[at]];
      if (before === undefined || after === undefined) break;
      const found = await readGap(before.opens + interval, after.opens, interval);
      if (found === undefined) break;
      whole = whole.toSpliced(at, 0, ...found);
    }
    return whole;
  };
  let judged: { readonly slice: CandleSlice; readonly first: number } | undefined;
  return async (
    slice: CandleSlice,
    { candles: received, isConfirmed }: SliceAnswer,
  ): Promise<readonly Candle[]> => {
    const { interval } = slice;
    const start = wholeSeconds(slice.start);
    const due = Math.min(wholeSeconds(slice.end), expectedTo / 1000);
    const last = received.at(-1)?.opens ?? nextIntervalStart(start, interval) - interval;
    // Only the neighboring slice shows that the market already traded at the start of a slice.
    const isAfter = judged?.slice.end === slice.start && !isQuiet;
    const isBefore = judged?.slice.start === slice.end && received.length > 0;
    if (received.length > 0) {
      isQuiet = false;
      intervals += (last - start) / interval + 1;
      trades += received.length;
    }
    const first = received[0]?.opens ?? start;
    const leading = isAfter ? await readGap(start, first, interval) : [];
    const candles = [...(leading ?? []), ...(await withoutHoles(slice, received))];
    const gap = Math.floor((due - last) / interval) - 1;
    const isDoubtful = gap > defaultGap && !isQuiet && isUnlikely(gap);
    const rest = isDoubtful ? restOf(slice, last) : undefined;
    const later = rest === undefined || isConfirmed ? [] : (await askWholeSlice(request, rest)).candles;
    if (rest !== undefined) isQuiet = later.length === 0;
    const ofNext = isBefore ? await readGap(wholeSeconds(slice.end), judged?.first ?? 0, interval) : [];
    judged = { slice, first };
    return [...candles, ...later, ...(ofNext ?? [])];
  };
}

/** The index of the candle after the longest gap. */
function afterLongestGap(candles: readonly Candle[]): number {
  let longest = { at: 0, gap: 0 };
  for (let at = 1; at < candles.length; at += 1) {
    const gap = (candles[at]?.opens ?? 0) - (candles[at - 1]?.opens ?? 0);
    if (gap > longest.gap) longest = { at, gap };
  }
  return longest.at;
}

export interface Candle {
  /** In Unix seconds. */
  readonly opens: number;
  /** Most candles of a price at a time are only placed, so a row is read from the response when it is needed. */
  readonly row: () => string;
}

const cut = createAnswerCutter(undefined, { identity: ["time_open"] });

export function readCandles(document: Document): readonly Candle[] {
  const rows = cut(document.bytes)?.rows ?? rowsOfText(document);
  const located = rows.locate(["time_open"]);
  const openings = located === undefined ? rows.marks().map(openingOf) : openingsOf(located);
  return openings.map((opens, index) => ({ opens, row: () => rows.text(index) }));
}

function openingsOf({ bytes, spans, stride, places: [place = 0] }: LocatedRows): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const readTime = createPlainTimes();
  const openings: number[] = [];
  for (let at = place; at < spans.length; at += stride) {
    const [from = -1, to = -1] = [spans[at], spans[at + 1]];
    // Without the quotes of a string.
    const opens = readTime(view, from + 1, to - 1);
    const named = () => (from < 0 ? {} : { time_open: JSON.parse(bytes.toString("utf8", from, to)) });
    openings.push(Number.isNaN(opens) ? openingOf(named()) : opens);
  }
  return openings;
}

/** The response is malformed, or so unusual that its rows could not be cut out of the bytes. */
function rowsOfText(document: Document): Rows {
  const { text, value } = document.read();
  return textRows(readRows(text, value, "candles"));
}

export const candleRows = (candles: readonly Candle[]): Rows =>
  textRows(candles.map(({ row }) => ({ row: row(), value: parseRow(row()) })));
