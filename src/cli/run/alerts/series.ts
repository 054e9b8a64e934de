import { compareExact, hasExactExponent } from "../../../base/json/compare-decimals.ts";
import { type ExactDecimal, parseExactDecimal, sumDecimals } from "../../../base/json/exact-decimal.ts";
import type { Test } from "./condition.ts";

interface Bucket {
  readonly start: number;
  low: ExactDecimal;
  high: ExactDecimal;
}

/** The window is as exact as its sixtieth part. */
const buckets = 60;
/** Values of more digits are not prices, and would take too long to multiply. */
const maxDigits = 1000;
const hundred: ExactDecimal = { isNegative: false, digits: "1", exponent: 2 };

/** The extremes of one asset's values in a window. Unknown until the window is filled. */
export function createSeries({ way, percent, window }: Extract<Test, { kind: "change" }>) {
  const width = window / buckets;
  const [more, less] = [percent, `-${percent}`].map((by) =>
    parseExactDecimal(sumDecimals(["100", by]) ?? ""),
  );
  let kept: Bucket[] = [];
  let first: number | undefined;
  return {
    /** `now` is in milliseconds. Undefined if it is unknown whether the value has changed as much. */
    passes: (text: string | undefined, now: number): boolean | undefined => {
      const value = parseExactDecimal(text ?? "");
      if (value === undefined || value.digits.length > maxDigits || !hasExactExponent(value))
        return undefined;
      first ??= now;
      kept = kept.filter(({ start }) => start > now - window - width);
      const [low, high] = [
        kept.map((each) => each.low).reduce(lower, value),
        kept.map((each) => each.high).reduce(higher, value),
      ];
      const isFilled = now - first >= window;
      const last = kept.at(-1);
      if (last !== undefined && now - last.start < width)
        [last.low, last.high] = [lower(last.low, value), higher(last.high, value)];
      else kept.push({ start: now, low: value, high: value });
      if (!isFilled) return undefined;
      const present = product(value, hundred);
      const hasRisen = isAtLeast(present, product(low, more));
      const hasFallen = isAtLeast(product(high, less), present);
      return way === "rises" ? hasRisen : way === "falls" ? hasFallen : hasRisen || hasFallen;
    },
  };
}

const lower = (one: ExactDecimal, other: ExactDecimal) => (isAtLeast(other, one) ? one : other);
const higher = (one: ExactDecimal, other: ExactDecimal) => (isAtLeast(one, other) ? one : other);

function isAtLeast(one: ExactDecimal | undefined, other: ExactDecimal | undefined): boolean {
  return one !== undefined && other !== undefined && compareExact(one, other) >= 0;
}

function product(one: ExactDecimal, other: ExactDecimal | undefined): ExactDecimal | undefined {
  if (other === undefined) return undefined;
  const digits = BigInt(one.digits) * BigInt(other.digits);
  const sign = one.isNegative === other.isNegative ? "" : "-";
  return parseExactDecimal(`${sign}${digits}e${one.exponent + other.exponent}`);
}
