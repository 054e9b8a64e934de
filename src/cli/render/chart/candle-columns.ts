import { member } from "../../../base/json/json-scan.ts";
import { intervalStart, nextIntervalStart } from "../../../client/candle-intervals.ts";

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

const minutes = [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720];
const days = [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 60, 90, 180, 365];
const spans = [...minutes.map((count) => count * 60), ...days.map((count) => count * 86_400)];

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
