import { dayNumber, SECONDS_PER_DAY, writeUtc } from "../../../base/time/time.ts";
import { countZeros, readDecimal, roundPlaces, writeDecimal } from "../values/decimal.ts";
import type { CandleColumn, CandleColumns } from "./candle-columns.ts";

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
 * Chooses the shortest round step whose labels fit into `width`. Returns the labels by candle column, and as one line. Each candle takes up `pitch` terminal columns.
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

/** Returns the start of the period in seconds. Weeks start on Monday. */
function periodStart(at: number, step: Step): number {
  if ("seconds" in step) {
    const offset = step.seconds % (7 * SECONDS_PER_DAY) === 0 ? 4 * SECONDS_PER_DAY : 0;
    return Math.floor((at - offset) / step.seconds) * step.seconds + offset;
  }
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
