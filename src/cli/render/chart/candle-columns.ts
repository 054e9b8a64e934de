import { member } from "../../../base/json/json-scan.ts";
import { intervalStart, nextIntervalStart } from "../../../client/candle-windows.ts";
import { dayNumber, SECONDS_PER_DAY, writeUtc } from "../../../base/time/time.ts";
import { countZeros, readDecimal, roundPlaces } from "../values/decimal.ts";
import { writeDecimal } from "../../../base/json/exact-decimal.ts";

/** A single candle, or several merged into one. */
export interface CandleColumn {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** There were no trades, and `--fill previous` repeated the previous close. */
  readonly isFilled: boolean;
  readonly isPartial: boolean;
}

/** Columns of equal length in seconds; undefined for one without trades. */
export interface CandleColumns {
  readonly start: number;
  readonly span: number;
  readonly columns: readonly (CandleColumn | undefined)[];
  /** Whether the time range ends before the last column does. */
  readonly isCut: boolean;
}

export type Candles = ReturnType<typeof createCandles>;

/** A year of one-minute candles is stored in two-hour spans, because no terminal is wide enough to show more. */
const maxKept = 6000;

const spans = [
  ...[1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720].map((minutes) => minutes * 60),
  ...[1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 60, 90, 180, 365].map((days) => days * SECONDS_PER_DAY),
];

/** All arguments are in seconds. The first candle opens at `from` or later. */
export function createCandles(from: number, to: number, interval: number) {
  const kept = spanFor(interval, to - from, maxKept);
  const byIndex = new Map<number, CandleColumn>();
  let start = nextIntervalStart(from, interval);
  let whole: CandleColumn | undefined;
  let last = 0;
  return {
    /** Candles must be added in chronological order. */
    add: (opens: number, candle: object): void => {
      // If the service rounds `start` down, it returns one extra candle.
      if (byIndex.size === 0) start = Math.min(start, intervalStart(opens, interval));
      const index = Math.max(0, Math.floor((opens - start) / kept));
      const column = readCandle(candle);
      if (column === undefined) return;
      last = Math.max(last, index);
      byIndex.set(index, merge(byIndex.get(index), column));
      whole = merge(whole, column);
    },
    whole: () => whole,
    merged: (most: number): CandleColumns => {
      const end = Math.max(to, start + (last + 1) * kept);
      const span = spanFor(kept, end - start, most);
      const columns = Array.from<CandleColumn | undefined>({ length: Math.ceil((end - start) / span) });
      for (const [index, column] of byIndex) {
        const at = Math.floor((index * kept) / span);
        columns[at] = merge(columns[at], column);
      }
      return { start, span, columns, isCut: start + columns.length * span - end >= interval };
    },
  };
}

/** Returns the shortest common span that is a multiple of `unit` and needs at most `most` columns. */
function spanFor(unit: number, length: number, most: number): number {
  const least = length / most;
  const common = spans.find((span) => span >= least && span % unit === 0);
  return common ?? Math.max(1, Math.ceil(least / unit)) * unit;
}

function merge(before: CandleColumn | undefined, after: CandleColumn): CandleColumn {
  if (before === undefined) return after;
  return {
    open: before.open,
    high: Math.max(before.high, after.high),
    low: Math.min(before.low, after.low),
    close: after.close,
    volume: before.volume + after.volume,
    isFilled: before.isFilled && after.isFilled,
    isPartial: before.isPartial || after.isPartial,
  };
}

/** Returns undefined if a price is missing, as with `--fill null`. A double is precise enough for a chart. */
function readCandle(candle: object): CandleColumn | undefined {
  const number = (name: string): number => {
    const value = member(candle, name);
    const isNumber = typeof value === "number" || (typeof value === "string" && value !== "");
    return isNumber ? Number(value) : Number.NaN;
  };
  const [open = 0, close = 0, ...ends] = ["open", "close", "high", "low"].map(number);
  const [high, low] = [Math.max(open, close, ...ends), Math.min(open, close, ...ends)];
  if (!Number.isFinite(high - low)) return undefined;
  const volume = number("volume");
  const isFilled = member(candle, "filled") === true;
  const isPartial = member(candle, "partial") === true;
  return { open, high, low, close, volume: volume > 0 ? volume : 0, isFilled, isPartial };
}

export type PriceAxis = ReturnType<typeof createPriceAxis>;

/** A price range smaller than this fraction of the price counts as flat, so the axis adds a margin. */
const flat = 1e-13;
/** Labels have enough decimals to distinguish this many steps. */
const distinctSteps = 40;

export function createPriceAxis({ low: lowest, high: highest }: CandleColumn, isUnicode: boolean) {
  const size = Math.max(Math.abs(lowest), Math.abs(highest));
  const isFlat = highest - lowest <= size * flat;
  const margin = isFlat ? size / 100 || 1 : 0;
  const [low, high] = [lowest < 0 ? lowest - margin : Math.max(0, lowest - margin), highest + margin];
  const range = high - low;
  const places = Math.min(340, Math.max(0, Math.ceil(-Math.log10(range / distinctSteps))));

  const label = (price: number | string): string => {
    const decimal = readDecimal(price);
    if (decimal === undefined) return "";
    const text = writeDecimal(roundPlaces(decimal, places), places, ",");
    return isUnicode ? countZeros(text) : text;
  };
  return {
    width: Math.max(label(low).length, label(high).length),
    label,
    /** Returns round prices, roughly as many as `about`. */
    ticks: (about: number): readonly string[] => {
      const { unit, exponent } = roundStep(range / about);
      const step = Number(`${unit}e${exponent}`);
      const first = Math.ceil(low / step);
      const count = Math.floor(high / step) - first + 1;
      if (!(count > 0 && count <= about * 2)) return [];
      return Array.from({ length: count }, (_, index) => `${(first + index) * unit}e${exponent}`);
    },
    /** Returns the position in half rows, with 0 at the bottom. */
    halfRow: (price: number, rows: number): number =>
      Math.max(0, Math.min(rows * 2 - 1, Math.floor(((price - low) / range) * rows * 2))),
  };
}

/** Returns 1, 2 or 5 times a power of ten that is at least `least`. */
function roundStep(least: number): { readonly unit: number; readonly exponent: number } {
  const exponent = Math.floor(Math.log10(least));
  const unit = [1, 2, 5].find((each) => Number(`${each}e${exponent}`) >= least);
  return unit === undefined ? { unit: 1, exponent: exponent + 1 } : { unit, exponent };
}

/** Months have no fixed number of seconds. */
type Step = { readonly seconds: number } | { readonly months: number };

const timeSteps: readonly Step[] = [
  ...[1, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => ({ seconds: minutes * 60 })),
  ...[1, 2, 7, 14].map((days) => ({ seconds: days * SECONDS_PER_DAY })),
  ...[1, 2, 3, 6, 12, 24, 60, 120, 600].map((months) => ({ months })),
];

const gap = 3;
const shortestMonth = 28 * SECONDS_PER_DAY;

/**
 * Chooses the shortest round step whose labels fit into `width`. Returns the labels by candle column, and as one line.
 * Each candle takes up `pitch` terminal columns.
 */
export function timeAxis({ start, span, columns: { length } }: CandleColumns, pitch: number, width: number) {
  for (const step of timeSteps) {
    // Labels in the same column would overlap.
    if (("seconds" in step ? step.seconds : step.months * shortestMonth) < span) continue;
    const marked = new Map<number, string>();
    let labels = "";
    let fits = true;
    for (let index = 0; index < length && fits; index++) {
      const begins = start + index * span;
      const round = periodStart(begins + span - 1, step);
      if (round < begins) continue;
      const text = labelOf(round, step);
      const at = Math.max(0, Math.min(width - text.length, index * pitch - Math.floor(text.length / 2)));
      fits = text.length <= width && (labels === "" || at >= labels.length + gap);
      labels = labels.padEnd(at) + text;
      marked.set(index, text);
    }
    if (fits && marked.size > 0) return { marked, labels };
  }
  const first = labelOf(start, { seconds: 1 });
  return { marked: new Map([[0, first]]), labels: first };
}

/** Returns the start of the period in seconds. */
function periodStart(at: number, step: Step): number {
  if ("seconds" in step) return intervalStart(at, step.seconds);
  const [year = 0, month = 1] = writeUtc(at).split("-").map(Number);
  const months = Math.floor((year * 12 + month - 1) / step.months) * step.months;
  return dayNumber(Math.floor(months / 12), (months % 12) + 1, 1) * SECONDS_PER_DAY;
}

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `08:00`, or `Nov 21` at midnight. For monthly steps, `Nov`, or the year in January. */
function labelOf(at: number, step: Step): string {
  const [date = "", time = ""] = writeUtc(at).split("T");
  const [year = "", month = "", day = ""] = date.split("-");
  const name = monthNames[Number(month) - 1] ?? "";
  if ("months" in step) return month === "01" ? year : name;
  return time === "00:00:00" ? `${name} ${day}` : time.slice(0, 5);
}
