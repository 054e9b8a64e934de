import { member } from "../../json/raw-json.ts";

/** The trades of one span of time: one candle, or several merged ones. */
export interface CandleColumn {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** There was no trade: `--fill previous` repeated the close before. */
  readonly isFilled: boolean;
  readonly isPartial: boolean;
}

/** Equal spans of time, in seconds; a column without a trade is undefined. */
export interface CandleColumns {
  readonly start: number;
  readonly span: number;
  readonly columns: readonly (CandleColumn | undefined)[];
  /** The time range ends within the last column. */
  readonly isCut: boolean;
}

export type Candles = ReturnType<typeof createCandles>;

/** A year of minutes is stored in spans of two hours: no terminal has columns for more. */
const mostKept = 6000;

const minutes = [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720];
const days = [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 60, 90, 180, 365];
const spans = [...minutes.map((count) => count * 60), ...days.map((count) => count * 86_400)];

/** `from`, `to` and `interval` in seconds; the first candle opens at `from` or later. */
export function createCandles(from: number, to: number, interval: number) {
  const kept = spanFor(interval, to - from, mostKept);
  const byIndex = new Map<number, CandleColumn>();
  let start = Math.ceil(from / interval) * interval;
  let whole: CandleColumn | undefined;
  let last = 0;
  return {
    /** Expects candles in the order of their times. */
    add: (opens: number, candle: object): void => {
      // A service that rounds `start` down returns one candle more.
      if (byIndex.size === 0) start = Math.min(start, Math.floor(opens / interval) * interval);
      const index = Math.max(0, Math.floor((opens - start) / kept));
      const column = readCandle(candle);
      if (column === undefined) return;
      last = Math.max(last, index);
      byIndex.set(index, merge(byIndex.get(index), column));
      whole = merge(whole, column);
    },
    /** All candles as one; undefined without a trade. */
    whole: () => whole,
    /** Merges the candles into at most this many columns. */
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

/** The shortest common span that is a multiple of the unit and needs at most `most` columns. */
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

/** Undefined without four prices, as with `--fill null`. A double is precise enough for a picture. */
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
