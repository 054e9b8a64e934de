import { type Field, tradeTypes } from "../../../api/record.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { nearestChoice } from "../../../api/read-choice.ts";
import { parseDuration } from "../../../api/duration.ts";
import { usageFailure } from "../../../base/failure.ts";
import {
  compareDecimals,
  isDecimal,
  parseExactDecimal,
  sumDecimals,
} from "../../../base/json/exact-decimal.ts";
import { addressKey } from "../../../client/subject.ts";

/** By the order of the two numbers. */
const operators: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ["<=", (order) => order <= 0],
  [">=", (order) => order >= 0],
  ["!=", (order) => order !== 0],
  ["<", (order) => order < 0],
  [">", (order) => order > 0],
  ["=", (order) => order === 0],
]);

const ways = ["rises", "falls", "moves"] as const;

type Way = (typeof ways)[number];

/**
 * Decides for the values of one asset, each of which is the text of a field; undefined if it is unknown. `now` is in Unix
 * milliseconds.
 */
type Tester = (text: string | undefined, now: number) => boolean | undefined;

export interface Test {
  readonly field: string;
  readonly create: () => Tester;
  /** The number with which the field is compared, as a double; undefined for any other test. */
  readonly bound: number | undefined;
  /** In milliseconds, for a test of a series of values. */
  readonly window?: number;
}

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
  const matches = text.matchAll(/[<>=!]+|[^\s<>=!]+/gu);
  const next = (): Word | undefined => {
    const { value } = matches.next();
    return value && { text: value[0], column: value.index + 1 };
  };
  const wrong: Parsing["wrong"] = (word, accepted, hint) => {
    const found = word === undefined ? "incomplete; the next part" : `column ${word.column}: "${word.text}"`;
    return usageFailure(`--when "${text}": ${found} ${accepted}`, hint);
  };
  const tests: Test[] = [];
  for (;;) {
    tests.push(parseTest({ ...testable, next, wrong }));
    const and = next();
    if (and === undefined) return { text, tests };
    if (and.text !== "and") throw wrong(and, 'must be "and" or the end', hintAtWord(and.text));
  }
}

function hintAtWord(word: string): string | undefined {
  if (/^&&?$|^and$/iu.test(word)) return 'write "and"';
  return /^\|\|?$|^or$/iu.test(word) ? '"or" is not supported; repeat --when instead' : undefined;
}

interface Parsing extends Testable {
  /** Undefined at the end of the text. */
  readonly next: () => Word | undefined;
  readonly wrong: (word: Word | undefined, accepted: string, hint?: string) => Error;
}

function parseTest(parsing: Parsing): Test {
  const { next, wrong, fields, hasSeries } = parsing;
  const field = next();
  // A list is represented by its first element; see `fieldPaths`.
  const values = fields.get(field?.text.replaceAll(/(?<=\.)[1-9]\d*(?=\.)/gu, "0") ?? "");
  if (field === undefined || values === undefined) {
    const names = [...fields.keys()];
    const near = nearestChoice(field?.text.replace("?", "") ?? "", names);
    const hint = didYouMean(near, `fields: ${names.join(", ")}`);
    throw wrong(field, field === undefined ? "must be a field" : "is not a field", hint);
  }
  const operator = next();
  const possible = hasSeries && values === "numbers" ? ways : [];
  const way = possible.find((each) => each === operator?.text);
  if (way !== undefined) return parseChange(field.text, way, parsing);
  const holds = operators.get(operator?.text ?? "");
  if (holds === undefined) {
    const accepted = [...operators.keys(), ...possible].join(", ");
    throw wrong(operator, `must be one of ${accepted}`, hintAtOperator(operator?.text ?? "", possible));
  }
  const value = next();
  if (value === undefined) throw wrong(undefined, "must be a value");
  if (/^["']/u.test(value.text)) throw wrong(value, "must not have quotes", "leave out the quotes");
  const isEqual = operator?.text === "=";
  const isEquality = isEqual || operator?.text === "!=";
  if (typeof values !== "string" && !values.includes(value.text))
    throw wrong(value, `is not a value of ${field.text}`, `values: ${values.join(", ")}`);
  if (values === "texts" && !isEquality) throw wrong(operator, "must be = or !=, because this field is text");
  // A symbol can be 888 or 100k.
  const number = values === "texts" ? undefined : readNumber(value.text);
  if (number !== undefined)
    return { field: field.text, create: () => comparison(holds, number), bound: Number(number) };
  if (!isEquality || values === "numbers") throw wrong(value, "is not a number, such as 0.05, 3000 or 100k");
  // Addresses are often copied with capital letters.
  const key = addressKey(value.text);
  const passes: Tester = (found) =>
    found === undefined ? undefined : (addressKey(found) === key) === isEqual;
  return { field: field.text, create: () => passes, bound: undefined };
}

/** For each operator, the words that people use for it. */
const otherOperators = Object.entries({
  ">": ["above", "over", "exceeds"],
  "<": ["below", "under"],
  "=": ["is", "equals"],
  rises: ["increases", "gains"],
  falls: ["drops", "decreases", "loses"],
  moves: ["changes"],
});

function hintAtOperator(word: string, possible: readonly Way[]): string | undefined {
  const [meant = word] = otherOperators.find(([, words]) => words.includes(word)) ?? [];
  if (operators.has(meant)) return `did you mean ${meant}?`;
  const change = ways.find((way) => way === meant);
  if (change === undefined) return undefined;
  return possible.includes(change)
    ? `e.g. price ${change} 5% in 1h`
    : "rises, falls and moves work only with numbers of the price feed";
}

/** `price moves 5% in 1h`. */
function parseChange(field: string, way: Way, { next, wrong }: Parsing): Test {
  const percent = next();
  const by = /^(\d{1,6}(?:\.\d{1,6})?)%$/u.exec(percent?.text ?? "")?.[1];
  if (by === undefined || Number(by) === 0) throw wrong(percent, "must be a percentage, such as 5%");
  if (way === "falls" && Number(by) >= 100)
    throw wrong(percent, "must be less than 100%, because prices stay above 0");
  const preposition = next();
  if (preposition?.text !== "in") throw wrong(preposition, 'must be "in" and a duration');
  const duration = next();
  const window = parseDuration(duration?.text ?? "");
  if (window === undefined || window < shortestWindow || window > longestWindow)
    throw wrong(duration, "must be a duration from 1s to 7d, such as 1h");
  return { field, create: () => createSeries(way, by, window), bound: undefined, window };
}

/** In milliseconds. */
const [shortestWindow, longestWindow] = [1000, 7 * 86_400_000];

/** `100k` or `100K` becomes `100e3`; undefined if the text is not a number. */
export function readNumber(text: string): string | undefined {
  const scale = scales[text.slice(-1).toLowerCase()];
  const number = scale === undefined ? text : `${text.slice(0, -1)}e${scale}`;
  return isDecimal(number) ? number : undefined;
}

function comparison(holds: (order: number) => boolean, other: string): Tester {
  return (text = "") => {
    const order = compareDecimals(text, other);
    return order === undefined ? undefined : holds(order);
  };
}

/** A value may count for up to 1/60 of the window longer, so that only a few values are kept. */
const buckets = 60;
/** Longer values are not prices, and would take too long to multiply. */
const maxLength = 1000;

/**
 * The extremes of one asset's values in a window of milliseconds. A value holds until the next one, so the value at the
 * start of the window is part of it. Unknown until the window is filled.
 */
function createSeries(way: Way, percent: string, window: number): Tester {
  const width = window / buckets;
  const extremes = [
    ...(way === "falls" ? [] : [createExtreme(percent, 1)]),
    ...(way === "rises" ? [] : [createExtreme(percent, -1)]),
  ];
  let [first, bucket, last, ahead] = [Number.NaN, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  let before: string | undefined;
  return (value = "", now) => {
    if (value.length > maxLength || !isDecimal(value)) return undefined;
    // If the clock was set back, the window would otherwise not move until the clock is where it was.
    ahead = Math.max(ahead, last - now);
    last = now + ahead;
    if (Number.isNaN(first)) first = last;
    const from = last - window - width;
    if (last - bucket >= width) {
      bucket = last;
      // The value before held until now, so it leaves the window when this moment does.
      if (before !== undefined) for (const add of extremes) add(before, last - width, from);
    }
    before = value;
    const reached = extremes.map((isReached) => isReached(value, bucket, from));
    return last - first < window ? undefined : reached.includes(true);
  };
}

interface Kept {
  /** The start of its bucket. */
  readonly start: number;
  readonly value: string;
  /** The value and the percentage of its size. */
  readonly limit: string | undefined;
}

/** The lowest value of a window if `order` is 1, and the highest if it is -1. Takes constant time on average. */
function createExtreme(percent: string, order: 1 | -1) {
  const [more = "", less = ""] = [percent, `-${percent}`].map((each) => sumDecimals(["100", each]));
  /** Each is later than the one before, and farther from the extreme. At most two per bucket. */
  const kept: Kept[] = [];
  return (value: string, start: number, from: number): boolean => {
    /** Positive if the value is farther from the extreme than the other one. */
    const beyond = (other: string | undefined): number | undefined =>
      other === undefined ? undefined : order * (compareDecimals(value, other) ?? Number.NaN);
    while ((kept[0]?.start ?? from + 1) <= from) kept.shift();
    while ((beyond(kept.at(-1)?.value) ?? 1) <= 0) kept.pop();
    if (kept.at(-1)?.start !== start) {
      const isToGrow = value.startsWith("-") === order < 0;
      kept.push({ start, value, limit: percentOf(value, isToGrow ? more : less) });
    }
    // The limit of 0 is 0, and a value that stays has not changed.
    return (beyond(kept[0]?.limit) ?? -1) >= 0 && beyond(kept[0]?.value) !== 0;
  };
}

/** Every digit of the percentage; both are JSON numbers. */
function percentOf(text: string, percentage: string): string | undefined {
  const [one, other] = [parseExactDecimal(text), parseExactDecimal(percentage)];
  if (one === undefined || other === undefined) return undefined;
  const sign = one.isNegative === other.isNegative ? "" : "-";
  return `${sign}${BigInt(one.digits) * BigInt(other.digits)}e${one.exponent + other.exponent - 2}`;
}
