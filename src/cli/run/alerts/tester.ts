import { compareExact, hasExactExponent, toDouble } from "../../../base/json/compare-decimals.ts";
import { type ExactDecimal, parseExactDecimal, sumDecimals } from "../../../base/json/exact-decimal.ts";
import { addressKey } from "../../../client/subject.ts";
import { holds, type Test } from "./condition.ts";

/** Decides whether one test holds for the values of one asset. */
interface Tester {
  readonly field: string;
  /** `now` is in Unix milliseconds. Undefined if it is unknown. */
  readonly passes: (text: string | undefined, now: number) => boolean | undefined;
  /** The values at which the result can change. */
  readonly pivots: () => readonly number[];
  /** When the result can change without such a value, in Unix milliseconds. */
  readonly until: () => number;
}

export function createTester(test: Test): Tester {
  const { field } = test;
  if (test.kind === "change") return { field, ...createSeries(test) };
  const pivots = [test.kind === "number" ? toDouble(test.value) : Number.NaN];
  return {
    field,
    passes: (text) => passes(test, text),
    pivots: () => pivots,
    until: () => Number.POSITIVE_INFINITY,
  };
}

/** Undefined if the row does not have the value, or if it cannot be compared. */
export function passes(test: Exclude<Test, { kind: "change" }>, value: string | undefined) {
  if (value === undefined) return undefined;
  if (test.kind === "text") return (addressKey(value) === test.value) === test.isEqual;
  const number = parseExactDecimal(value);
  if (number === undefined || ![number, test.value].every(hasExactExponent)) return undefined;
  return holds[test.operator](compareExact(number, test.value));
}

/** The window is as exact as its sixtieth part. */
const buckets = 60;
/** Values of more digits are not prices, and would take too long to multiply. */
const maxDigits = 1000;

/** The extremes of one asset's values in a window. Unknown until the window is filled. */
export function createSeries({ way, percent, window }: Extract<Test, { kind: "change" }>) {
  const width = window / buckets;
  const extremes = [
    ...(way === "falls" ? [] : [createExtreme(percent, 1)]),
    ...(way === "rises" ? [] : [createExtreme(`-${percent}`, -1)]),
  ];
  let [first, bucket, last] = [Number.NaN, Number.NEGATIVE_INFINITY, Number.NaN];
  return {
    passes: (text: string | undefined, now: number): boolean | undefined => {
      const value = readValue(text);
      if (value === undefined) return undefined;
      if (Number.isNaN(first)) first = now;
      // The clock was set back. Otherwise, the window would not move until the clock is where it was.
      if (now < last) {
        for (const each of extremes) each.shift(now - last);
        [first, bucket] = [first + now - last, bucket + now - last];
      }
      last = now;
      if (now - bucket >= width) bucket = now;
      const reached = extremes.map((each) => each.isReached(value, bucket, now - window - width));
      return now - first < window ? undefined : reached.includes(true);
    },
    pivots: () => extremes.flatMap((each) => each.pivots()),
    /** A bucket begins, the window is filled, or an extreme leaves it. */
    until: () => {
      const times = [
        bucket + width,
        first + window,
        ...extremes.map((each) => each.start() + window + width),
      ];
      return Math.min(...times.filter((time) => time > last));
    },
  };
}

/** Undefined if it is not a number, or too long to compute with. */
export function readValue(text = ""): ExactDecimal | undefined {
  const value = parseExactDecimal(text);
  return value !== undefined && value.digits.length <= maxDigits && hasExactExponent(value)
    ? value
    : undefined;
}

interface Kept {
  /** The start of its bucket. */
  start: number;
  readonly value: ExactDecimal;
  /** A hundred times the present value is compared with this. */
  limit: ExactDecimal | undefined;
}

/** The lowest value of a window if `order` is 1, and the highest if it is -1. Takes constant time on average. */
function createExtreme(percent: string, order: 1 | -1) {
  const factor = parseExactDecimal(sumDecimals(["100", percent]) ?? "");
  /** Each is later than the one before, and farther from the extreme. At most one per bucket. */
  const kept: Kept[] = [];
  return {
    isReached: (value: ExactDecimal, start: number, from: number): boolean => {
      while ((kept[0]?.start ?? from + 1) <= from) kept.shift();
      for (let last = kept.at(-1); last !== undefined; last = kept.at(-1)) {
        if (order * compareExact(last.value, value) < 0) break;
        kept.pop();
      }
      if (kept.at(-1)?.start !== start) kept.push({ start, value, limit: undefined });
      const [extreme = { start, value, limit: undefined }] = kept;
      extreme.limit ??= factor && product(extreme.value, factor);
      const present = { ...value, exponent: value.digits === "" ? 0 : value.exponent + 2 };
      return extreme.limit !== undefined && order * compareExact(present, extreme.limit) >= 0;
    },
    pivots: (): readonly number[] => {
      const [newest, limit] = [kept.at(-1)?.value, kept[0]?.limit];
      const numbers = [newest, limit && { ...limit, exponent: limit.exponent - 2 }];
      return numbers.map((each) => (each === undefined ? Number.NaN : toDouble(each)));
    },
    /** Of the extreme's bucket; NaN without values. */
    start: () => kept[0]?.start ?? Number.NaN,
    /** The clock was set by this many milliseconds. */
    shift: (by: number): void => {
      for (const each of kept) each.start += by;
    },
  };
}

function product(one: ExactDecimal, other: ExactDecimal): ExactDecimal | undefined {
  const digits = BigInt(one.digits) * BigInt(other.digits);
  const sign = one.isNegative === other.isNegative ? "" : "-";
  return parseExactDecimal(`${sign}${digits}e${one.exponent + other.exponent}`);
}
