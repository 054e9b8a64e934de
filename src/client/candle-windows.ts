import type { Endpoint, Args, Typed } from "../api/endpoint.ts";
import { invalidInput, invalidResponse, usageFailure } from "../base/failure.ts";
import { nameOfParam, readParam } from "../api/read-param.ts";
import { entryOf, member } from "../base/json/json-scan.ts";
import { intervals, madeIntervals } from "../api/endpoints/ohlcv.ts";
import { grouped } from "../base/text/words.ts";
import {
  formatInstant,
  fromWire,
  type Instant,
  parseRfc3339,
  atSecond,
  secondsPerUnit,
  parseTimeBound,
  toWire,
  wireOf,
  SECONDS_PER_DAY,
  writeUtc,
} from "../base/time/time.ts";

/**
 * Adds the defaults for `ohlcv`: interval 1h and the last 24 hours, which every plan includes. `--count-back N` sets
 * the start to N intervals before the end. `now` is in milliseconds.
 */
export function completeWindow(endpoint: Endpoint, typed: Typed, now: number): Typed {
  const interval = typed.get("interval") ?? "1h";
  const made = madeInterval(interval);
  const usual = made !== undefined && made.length > SECONDS_PER_DAY ? "-7d" : "-24h";
  const end = endOf(endpoint, typed, now);
  const filled = new Map([["interval", interval], ["start", usual], ...typed, ["end", end]]);
  if (typed.has("count_back")) {
    if (typed.has("start")) {
      const names = `${nameOfParam(endpoint, "count_back")} and ${nameOfParam(endpoint, "start")}`;
      throw usageFailure(`${names} cannot be used together`, "both set the start; remove one of them");
    }
    filled.set("start", startOfCount(endpoint, filled, now));
  }
  return made === undefined ? filled : alignedWindow(filled, made, now);
}

/** In Unix seconds. No network of the service had DEX trades before, so no request is spent on earlier times. */
export const firstTrades = Date.UTC(2015, 0, 1) / 1000;

/** The start for `count_back`. The values that set it are checked first. */
function startOfCount({ params }: Endpoint, filled: Typed, now: number): string {
  const [interval = "", count, end = ""] = ["interval", "count_back", "end"].map((name) => {
    const param = params.find((each) => each.name === name);
    return param && readParam(param, filled.get(name) ?? "", now);
  });
  const [instant, length] = [fromWire(end), intervalSeconds(interval)];
  const last =
    madeInterval(interval) === undefined ? instant.seconds : nextIntervalStart(instant.seconds, length);
  const earliest = Math.min(firstTrades, last - length);
  return formatInstant({ ...instant, seconds: Math.max(earliest, last - Number(count) * length) });
}

/**
 * There are no candles of the future, so no requests are spent on them. The clock of this machine may be behind, so the
 * range may end a day later.
 */
function endOf(endpoint: Endpoint, typed: Typed, now: number): string {
  const end = typed.get("end") ?? "now";
  const latest = Math.floor(now / 1000) + SECONDS_PER_DAY;
  const [from, to] = [parseTimeBound(typed.get("start") ?? end, now), parseTimeBound(end, now)];
  if ("problem" in from || "problem" in to || to.seconds <= latest) return end;
  if (!typed.has("start") || from.seconds < latest) return wireOf(latest);
  if (from.seconds >= to.seconds) return end;
  throw invalidInput(
    `${nameOfParam(endpoint, "start")} "${typed.get("start")}"`,
    "must not be in the future",
  );
}

/**
 * Made candles need all candles of their source. The range therefore begins where the first one opens, and ends where
 * the last one closes, or now. A range in which none opens stays as it is; see `isWithoutMade`.
 */
function alignedWindow(typed: Typed, { length }: MadeInterval, now: number): Typed {
  const boundOf = (name: string) => parseTimeBound(typed.get(name) ?? "", now);
  const [start, end] = [boundOf("start"), boundOf("end")];
  if ("problem" in start || "problem" in end || start.seconds >= end.seconds) return typed;
  const openingAfter = (bound: Instant): number => nextIntervalStart(wholeSeconds(toWire(bound)), length);
  const [from, to] = [openingAfter(start), openingAfter(end)];
  if (from >= to) return typed;
  const present = Math.floor(now / 1000);
  const until = to > present && end.seconds > present ? end : atSecond(Math.min(to, present));
  return new Map([...typed, ["start", wireOf(from)], ["end", toWire(until)]]);
}

/** The start and end are in the API's format. */
interface CandleWindow {
  readonly start: string;
  readonly end: string;
  /** In seconds. */
  readonly interval: number;
}

/** A part of a time range, small enough for its candles to fit into one response. */
export interface CandleSlice extends CandleWindow {
  /** The number of candles that open within [start, end). */
  readonly opening: number;
  /** The number of candles that overlap the slice: one more than `opening` if the service rounds `start` down. */
  readonly touched: number;
}

/** About a century of one-minute candles. A longer time range is more likely to be a typo. */
const maxCandles = 50_000_000;

export function candleWindow(args: Args, start = args.get("start") ?? ""): CandleWindow {
  const typed = args.get("interval") ?? "";
  const window = { start, end: args.get("end") ?? "", interval: intervalSeconds(typed) };
  const { opening } = sliceOf(window);
  if (opening > maxCandles) {
    throw usageFailure(
      `the time range contains ${grouped(String(opening))} ${typed} candles; the limit is ${grouped(String(maxCandles))}`,
      "shorten the range with --from and --to, or use a longer --interval",
    );
  }
  return window;
}

/**
 * The parts are adjacent and have at most `most` candles each. Their inner boundaries are at multiples of the interval
 * since the epoch, where candles open in every time zone, so no candle is in two parts.
 */
export function* slicesOf(window: CandleWindow, most: number): Generator<CandleSlice> {
  const { interval } = window;
  let { start } = window;
  for (;;) {
    const edge = (Math.ceil(wholeSeconds(start) / interval) + most) * interval;
    const isLast = edge >= wholeSeconds(window.end);
    const end = isLast ? window.end : wireOf(edge);
    yield sliceOf({ start, end, interval });
    if (isLast) return;
    start = end;
  }
}

/** The number of candles that open in the window. */
export const countOpenings = (window: CandleWindow): number => sliceOf(window).opening;

/** Whether no candle of an interval that is made here opens in the range, so that no request is needed. */
export function isWithoutMade(args: Args): boolean {
  return madeInterval(args.get("interval")) !== undefined && countOpenings(candleWindow(args)) === 0;
}

/** Times are in Unix seconds. */
export function sliceBetween(from: number, to: number, interval: number): CandleSlice {
  return sliceOf({ start: wireOf(from), end: wireOf(to), interval });
}

/** Returns undefined if no candle can follow the one that opens at `last`. */
export function restOf(slice: CandleSlice, last: number): CandleSlice | undefined {
  const from = (Math.floor(last / slice.interval) + 1) * slice.interval;
  if (from >= wholeSeconds(slice.end)) return undefined;
  return sliceOf({ ...slice, start: wireOf(from) });
}

function sliceOf(window: CandleWindow): CandleSlice {
  const { start, end, interval } = window;
  const [from, to] = [wholeSeconds(start), wholeSeconds(end)];
  const past = nextIntervalStart(to, interval);
  return {
    ...window,
    opening: (past - nextIntervalStart(from, interval)) / interval,
    touched: Math.max(1, (past - intervalStart(from, interval)) / interval),
  };
}

/** Rounds a time in the API's format up to a full second, because candles open on full seconds. */
export function wholeSeconds(bound: string): number {
  const { seconds, fraction } = fromWire(bound);
  return seconds + (fraction === "" ? 0 : 1);
}

/**
 * In Unix seconds. The specification does not define the format: the public API uses RFC 3339, and its streams use Unix
 * seconds. A candle without a time can be neither identified nor sorted.
 */
export function openingOf(candle: object): number {
  const opening = readSeconds(member(candle, "time_open"));
  if (opening === undefined) throw invalidResponse("invalid response: a candle has no valid time_open");
  return opening;
}

/** The interval that a candle's own times name; undefined if they name none. They may end a second early. */
export function intervalOf(candle: object): string | undefined {
  const [opens, closes] = ["time_open", "time_close"].map((name) => readSeconds(member(candle, name)));
  const length = (closes ?? Number.NaN) - (opens ?? Number.NaN);
  return intervals.find((each) => [length, length + 1].includes(intervalSeconds(each)));
}

/** Undefined if the time of a candle is neither RFC 3339 nor Unix seconds. */
function readSeconds(time: unknown): number | undefined {
  if (typeof time === "string") return parseRfc3339(time)?.seconds;
  return typeof time === "number" && Number.isSafeInteger(time) ? time : undefined;
}

/**
 * The times of a candle that opens at `opens`, as members in the format of a sample. If the sample's `time_close` is
 * missing or a second early, so is the candle's. Lengths are in seconds.
 */
export function timesLike(sample: object | undefined, opens: number, length: number, ofSample = length) {
  const [open, close] = [member(sample, "time_open"), member(sample, "time_close")];
  const opening = ["time_open", timeLike(open, opens)] as const;
  if (sample !== undefined && close === undefined) return [opening];
  const [from, to] = [readSeconds(open), readSeconds(close)];
  const early = from === undefined || to === undefined ? 0 : from + ofSample - to;
  return [opening, ["time_close", timeLike(close, opens + length - early)] as const];
}

/** In JSON: Unix seconds if the service uses them; otherwise, RFC 3339 with its fraction and UTC suffix. */
function timeLike(time: unknown, seconds: number): string {
  if (typeof time === "number") return String(seconds);
  const ending = typeof time === "string" ? /(?:\.\d+)?(?:[Zz]|[+-]00:00)$/u.exec(time)?.[0] : undefined;
  return `"${writeUtc(seconds)}${ending ?? "Z"}"`;
}

/** For example, of `1h` or `1w`; NaN for other text. */
export function intervalSeconds(interval: string): number {
  const match = /^(\d+)([mhdw])$/u.exec(interval);
  return Number(match?.[1]) * (secondsPerUnit[match?.[2] ?? ""] ?? Number.NaN);
}

/** An interval that the service lacks. Its candles are made from those of the largest interval that divides it. */
export interface MadeInterval {
  readonly source: string;
  /** In seconds. */
  readonly length: number;
  /** How many candles of the source fit into one. */
  readonly parts: number;
}

/** Undefined for an interval of the service. */
export function madeInterval(interval: string | undefined): MadeInterval | undefined {
  const source = interval === undefined ? undefined : entryOf(madeIntervals, interval);
  if (interval === undefined || source === undefined) return undefined;
  const length = intervalSeconds(interval);
  return { source, length, parts: length / intervalSeconds(source) };
}

/** 1970-01-01 was a Thursday, and weeks begin on Monday. */
const firstMonday = 4 * SECONDS_PER_DAY;

/** The start of the interval that contains the time. Times and lengths are in seconds. */
export function intervalStart(seconds: number, length: number): number {
  const offset = length % (7 * SECONDS_PER_DAY) === 0 ? firstMonday : 0;
  return Math.floor((seconds - offset) / length) * length + offset;
}

/** The first start of an interval at or after the time. */
export function nextIntervalStart(seconds: number, length: number): number {
  const start = intervalStart(seconds, length);
  return start < seconds ? start + length : start;
}

/** What to request for an interval. As many candles of its source as fit into the wanted ones are counted back. */
export function sourceOf(args: Args, maxLimit: number) {
  const made = madeInterval(args.get("interval"));
  if (made === undefined) return { args, maxLimit, made };
  const { source, parts } = made;
  const count = args.get("count_back");
  const counted = count === undefined ? [] : [["count_back", String(Number(count) * parts)] as const];
  const asked: Args = new Map([...args, ["interval", source], ...counted]);
  // All candles that make up one arrive in the same response.
  return { args: asked, maxLimit: maxLimit - (maxLimit % parts), made };
}
