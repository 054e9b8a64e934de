import { readDecimal, roundPlaces, writeDecimal } from "../values/decimal.ts";
import { countZeros } from "../values/numbers.ts";
import type { CandleColumn } from "./candle-columns.ts";

export interface PriceAxis {
  readonly low: number;
  readonly high: number;
  /** Columns of the widest label. */
  readonly width: number;
  /** Every price with the same number of decimals. */
  readonly label: (price: number | string) => string;
  /** Round prices, as text, about as many as asked for. */
  readonly ticks: (about: number) => readonly string[];
  /** Where a price stands among so many rows: half a row is a step, 0 the lowest. */
  readonly halfRow: (price: number, rows: number) => number;
}

/** Below this share of a price nothing can be told apart, and a flat line needs some room around it. */
const flat = 1e-13;
/** Steps that a label has to tell apart. */
const steps = 40;

export function createPriceAxis({ low: lowest, high: highest }: CandleColumn, isUnicode: boolean): PriceAxis {
  const size = Math.max(Math.abs(lowest), Math.abs(highest));
  const isFlat = highest - lowest <= size * flat;
  const margin = isFlat ? size / 100 || 1 : 0;
  const [low, high] = [lowest < 0 ? lowest - margin : Math.max(0, lowest - margin), highest + margin];
  const range = high - low;
  const places = Math.min(340, Math.max(0, Math.ceil(-Math.log10(range / steps))));

  const label = (price: number | string): string => {
    const decimal = readDecimal(price);
    if (decimal === undefined) return "";
    const text = writeDecimal(roundPlaces(decimal, places), places, ",");
    return isUnicode ? countZeros(text) : text;
  };
  return {
    low,
    high,
    width: Math.max(label(low).length, label(high).length),
    label,
    ticks: (about) => {
      const { unit, exponent } = roundStep(range / about);
      const step = Number(`${unit}e${exponent}`);
      const first = Math.ceil(low / step);
      const count = Math.floor(high / step) - first + 1;
      if (!(count > 0 && count <= about * 2)) return [];
      return Array.from({ length: count }, (_, index) => `${(first + index) * unit}e${exponent}`);
    },
    halfRow: (price, rows) =>
      Math.max(0, Math.min(rows * 2 - 1, Math.floor(((price - low) / range) * rows * 2))),
  };
}

/** 1, 2 or 5 times a power of ten, not less than the number. */
function roundStep(least: number): { readonly unit: number; readonly exponent: number } {
  const exponent = Math.floor(Math.log10(least));
  const unit = [1, 2, 5].find((each) => Number(`${each}e${exponent}`) >= least);
  return unit === undefined ? { unit: 1, exponent: exponent + 1 } : { unit, exponent };
}
