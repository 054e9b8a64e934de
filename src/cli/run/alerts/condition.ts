import { type Field, tradeTypes } from "../../../api/record.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { parseDuration } from "../../../api/duration.ts";
import { usageFailure } from "../../../base/failure.ts";
import { type ExactDecimal, parseExactDecimal } from "../../../base/json/exact-decimal.ts";
import { addressKey } from "../../../client/subject.ts";

const operators = ["<=", ">=", "!=", "<", ">", "="] as const;

type Operator = (typeof operators)[number];

const ways = ["rises", "falls", "moves"] as const;

type Way = (typeof ways)[number];

/** By the order of the two numbers. */
export const holds: Readonly<Record<Operator, (order: number) => boolean>> = {
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
    if (and.text !== "and")
      throw wrong(text, and, 'must be "and" or the end', '"or" is not supported; repeat --when instead');
    at += 1;
  }
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
