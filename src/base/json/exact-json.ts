import { compareDecimals } from "./exact-decimal.ts";
import { eachOutsideStrings, endOfValue } from "./json-scan.ts";

const MINUS = 45;
const DIGIT_0 = 48;
const DIGIT_9 = 57;

/** Integers up to 2^53 have at most 16 digits, so a number represents shorter integers exactly. */
const LONG_INTEGER = /^-?[1-9]\d{15,999}$/;

/**
 * Like `JSON.parse`, but integers with 16 to 1,000 digits become `bigint`, because a number would round values above
 * 2^53. Longer ones stay numbers, because parsing a `bigint` takes more than linear time. Fractions above 2^53 that a
 * number would round become texts. Throws a SyntaxError exactly when `JSON.parse` does.
 */
export function parseExact(text: string): unknown {
  const root: unknown = JSON.parse(text);
  // Very few responses contain such an integer, and this check is cheap.
  if (!/(?:^|[:,[\s])-?\d{16}/.test(text)) return root;
  const document = { root };
  const pending: [Holder, Holder][] = [[document, { root: withNumbersAsText(text) }]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [holder, digits] = pair;
    for (const key of Object.keys(holder)) {
      const [value, exact] = [holder[key], digits[key]];
      // `JSON.parse` creates every key as an own property, even `__proto__`, so this assignment only overwrites it.
      if (typeof value === "number") holder[key] = exactNumber(value, String(exact));
      else if (isHolder(value) && isHolder(exact)) pending.push([value, exact]);
    }
  }
  return document.root;
}

function exactNumber(value: number, text: string): number | bigint | string {
  if (LONG_INTEGER.test(text)) return BigInt(text);
  const isRounded = Math.abs(value) > Number.MAX_SAFE_INTEGER && text.length < 1000;
  return isRounded && compareDecimals(String(value), text) !== 0 ? text : value;
}

type Holder = Record<string, unknown>;

function isHolder(value: unknown): value is Holder {
  return typeof value === "object" && value !== null;
}

/**
 * Like `JSON.parse`, but every number becomes a string with its exact digits. Throws a SyntaxError exactly when
 * `JSON.parse` does.
 */
export function parseNumbersAsText(text: string): unknown {
  // With quotes added, `01` or a number used as a member name would be accepted as valid JSON.
  JSON.parse(text);
  return withNumbersAsText(text);
}

/** The text must be valid JSON. */
function withNumbersAsText(text: string): unknown {
  const pieces: string[] = [];
  let kept = 0;
  eachOutsideStrings(text, (code, at) => {
    if (code !== MINUS && (code < DIGIT_0 || code > DIGIT_9)) return at;
    const end = endOfValue(text, at);
    pieces.push(text.slice(kept, at), `"${text.slice(at, end)}"`);
    kept = end;
    return end - 1;
  });
  return JSON.parse(pieces.join("") + text.slice(kept));
}
