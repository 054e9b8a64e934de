import { type Field, tradeTypes } from "../../../api/record.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { parseDuration } from "../../../api/duration.ts";
import { usageFailure } from "../../../base/failure.ts";
import { compareExact, hasExactExponent, toDouble } from "../../../base/json/compare-decimals.ts";
import { type ExactDecimal, parseExactDecimal, sumDecimals } from "../../../base/json/exact-decimal.ts";
import { addressKey } from "../../../client/subject.ts";

const operators = ["<=", ">=", "!=", "<", ">", "="] as const;

type Operator = (typeof operators)[number];

const ways = ["rises", "falls", "moves"] as const;

type Way = (typeof ways)[number];

/** By the order of the two numbers. */
const holds: Readonly<Record<Operator, (order: number) => boolean>> = {
  "<=": (order) => order <= 0,
  ">=": (order) => order >= 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  ">": (order) => order > 0,
  "=": (order) => order === 0,
};

export type Test =
  | {
      readonly kind: "number";
      readonly field: string;
      readonly operator: Operator;
      readonly value: ExactDecimal;
    }
  /** `value` is as from `addressKey`, because addresses are often copied with capital letters. */
  | { readonly kind: "text"; readonly field: string; readonly isEqual: boolean; readonly value: string }
  | {
      readonly kind: "change";
      readonly field: string;
      readonly way: Way;
      /** Digits, such as `2.5`. */
      readonly percent: string;
      /** In milliseconds. */
      readonly window: number;
    };

/** All tests must hold. */
export interface Condition {
  /** As typed. */
  readonly text: string;
  readonly tests: readonly Test[];
}

/** What a field can have; a list has all of its values. */
export type FieldValues = "numbers" | "texts" | "any" | readonly string[];

/** The fields and tests that a row supports. */
export interface Testable {
  readonly fields: ReadonlyMap<string, FieldValues>;
  /** Whether `rises`, `falls` and `moves` have a meaning, because each asset has a series of values. */
  readonly hasSeries: boolean;
}

export function valuesOf({ type: { kind }, reads }: Field): FieldValues {
  if (reads === "trade-type") return tradeTypes;
  if (["price", "amount", "percent", "count"].includes(reads)) return "numbers";
  return kind === "text" ? "texts" : "any";
}

interface Word {
  readonly text: string;
  /** From 1. */
  readonly column: number;
}

const scales: Readonly<Record<string, number>> = { k: 3, m: 6, b: 9 };

/** Throws a failure that names the column. Takes linear time for any text. */
export function parseCondition(text: string, testable: Testable): Condition {
  const words = Array.from(text.matchAll(/[<>!]=?|=|[^\s<>=!]+/gu), ({ 0: word, index }) => ({
    text: word,
    column: index + 1,
  }));
  const tests: Test[] = [];
  for (let at = 0; ;) {
    const test = parseTest(words.slice(at, at + longestTest), text, testable);
    tests.push(test);
    at += test.kind === "change" ? longestTest : 3;
    const and = words[at];
    if (and === undefined) return { text, tests };
    if (and.text !== "and") throw wrong(text, and, 'must be "and" or the end', hintAtWord(and.text));
    at += 1;
  }
}

function hintAtWord(word: string): string | undefined {
  if (/^&&?$|^and$/iu.test(word)) return 'write "and"';
  return /^\|\|?$|^or$/iu.test(word) ? '"or" is not supported; repeat --when instead' : undefined;
}

/** In words. */
const longestTest = 5;

function parseTest(words: readonly Word[], text: string, { fields, hasSeries }: Testable): Test {
  const [field, operator, value] = words;
  const values = fields.get(field?.text ?? "");
  if (field === undefined || values === undefined) {
    const names = [...fields.keys()];
    const near = nearest(field?.text.replace("?", "") ?? "", names);
    const hint = near === undefined ? `fields: ${names.join(", ")}` : `did you mean ${near}?`;
    throw wrong(text, field, field === undefined ? "must be a field" : "is not a field", hint);
  }
  const way = ways.find((each) => each === operator?.text);
  if (way !== undefined && hasSeries) return parseChange(field.text, way, words, text);
  const known = operators.find((each) => each === operator?.text);
  const others = hasSeries ? `, or ${ways.join(", ")}` : "";
  if (known === undefined) throw wrong(text, operator, `must be ${operators.join(" ")}${others}`);
  if (value === undefined) throw wrong(text, undefined, "must be a value");
  const isEquality = known === "=" || known === "!=";
  if (typeof values !== "string" && !values.includes(value.text))
    throw wrong(text, value, `is not a value of ${field.text}`, `values: ${values.join(", ")}`);
  if (values === "texts" && !isEquality)
    throw wrong(text, operator, "must be = or !=, because this field is text");
  const number = readNumber(value.text);
  if (number !== undefined) return { kind: "number", field: field.text, operator: known, value: number };
  if (!isEquality || values === "numbers")
    throw wrong(text, value, "is not a number, such as 0.05, 3000 or 100k");
  return { kind: "text", field: field.text, isEqual: known === "=", value: addressKey(value.text) };
}

/** `price moves 5% in 1h`. */
function parseChange(field: string, way: Way, words: readonly Word[], text: string): Test {
  const [, , percent, preposition, duration] = words;
  const by = /^(\d{1,6}(?:\.\d{1,6})?)%$/u.exec(percent?.text ?? "")?.[1];
  if (by === undefined || Number(by) === 0) throw wrong(text, percent, "must be a percentage, such as 5%");
  if (way === "falls" && Number(by) >= 100)
    throw wrong(text, percent, "must be less than 100%, because nothing falls by more");
  if (preposition?.text !== "in") throw wrong(text, preposition, 'must be "in" and a duration');
  const window = parseDuration(duration?.text ?? "");
  if (window === undefined || window < shortestWindow || window > longestWindow)
    throw wrong(text, duration, "must be a duration from 1s to 7d, such as 1h");
  return { kind: "change", field, way, percent: by, window };
}

/** In milliseconds. */
const [shortestWindow, longestWindow] = [1000, 7 * 86_400_000];

/** `100k` is 100000; undefined if the text is not a number. */
export function readNumber(text: string): ExactDecimal | undefined {
  const scale = scales[text.slice(-1)] ?? 0;
  const decimal = parseExactDecimal(scale === 0 ? text : text.slice(0, -1));
  return decimal && { ...decimal, exponent: decimal.digits === "" ? 0 : decimal.exponent + scale };
}

/** `word` is undefined at the end of the text. */
function wrong(text: string, word: Word | undefined, accepted: string, hint?: string): Error {
  const found = word === undefined ? "incomplete; the next part" : `column ${word.column}: "${word.text}"`;
  return usageFailure(`--when "${text}": ${found} ${accepted}`, hint);
}

/** Decides whether one test holds for the values of one asset; undefined if it is unknown. Times are in Unix milliseconds. */
export function createTester(test: Test) {
  const { field } = test;
  if (test.kind === "change") return { field, ...createSeries(test) };
  const pivots = [test.kind === "number" ? toDouble(test.value) : Number.NaN];
  return {
    field,
    passes: (text: string | undefined) => passes(test, text),
    /** The values at which the result can change. */
    pivots: () => pivots,
    /** When the result can change without such a value. */
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
