import { eachOutsideStrings, endOfValue, skipBlanks } from "./json-scan.ts";

const MINUS = 45;
const DIGIT_0 = 48;
const DIGIT_9 = 57;

/** Integers up to 2^53 have at most 16 digits, so a number represents shorter integers exactly. */
const LONG_INTEGER = /^-?[1-9]\d{15,999}$/;

/**
 * Like `JSON.parse`, but integers with 16 to 1,000 digits become `bigint`, because a number would round values above
 * 2^53. Longer ones stay numbers, because parsing a `bigint` takes more than linear time. Throws a SyntaxError exactly
 * when `JSON.parse` does.
 */
export function parseExact(text: string): unknown {
  // Very few responses contain such an integer, and this check is cheap.
  if (!/(?:^|[:,[\s])-?\d{16}/.test(text)) return JSON.parse(text);
  const marker = unusedMarker(text);
  const marked = markLongIntegers(text, marker);
  return marked === text ? JSON.parse(text) : restoreIntegers(JSON.parse(marked), marker);
}

/** Returns a prefix that occurs in no string in the document, neither literally nor as `\uXXXX`. */
function unusedMarker(text: string): string {
  const used = new Set<string>();
  const collect = (document: string): void => {
    for (const [candidate] of document.matchAll(/@integer\d{1,9}:/g)) used.add(candidate);
  };
  collect(text);
  if (text.includes("\\u")) {
    // An escaped backslash (`\\u0040`) also looks like an escape here. That only rules out one more candidate.
    collect(
      text.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    );
  }
  let number = 0;
  while (used.has(`@integer${number}:`)) number++;
  return `@integer${number}:`;
}

function markLongIntegers(text: string, marker: string): string {
  return replaceNumbers(text, (token, end) =>
    // Before a colon, the string would become a member name, and invalid JSON would be accepted as valid.
    LONG_INTEGER.test(token) && text[skipBlanks(text, end)] !== ":" ? `"${marker}${token}"` : token,
  );
}

function restoreIntegers(root: unknown, marker: string): unknown {
  const isMarked = (value: unknown): value is string => typeof value === "string" && value.startsWith(marker);
  const restore = (value: string): bigint => BigInt(value.slice(marker.length));
  if (isMarked(root)) return restore(root);
  const pending = isHolder(root) ? [root] : [];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      // `JSON.parse` creates every key as an own property, even `__proto__`, so this assignment only overwrites it.
      if (isMarked(value)) holder[key] = restore(value);
      else if (isHolder(value)) pending.push(value);
    }
  }
  return root;
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * Like `JSON.parse`, but every number becomes a string with its exact digits. Throws a SyntaxError exactly when
 * `JSON.parse` does.
 */
export function parseNumbersAsText(text: string): unknown {
  // With quotes added, `01` or a number used as a member name would be accepted as valid JSON.
  JSON.parse(text);
  return JSON.parse(replaceNumbers(text, (token) => `"${token}"`));
}

function replaceNumbers(text: string, write: (token: string, end: number) => string): string {
  const pieces: string[] = [];
  let kept = 0;
  eachOutsideStrings(text, (code, at) => {
    if (code !== MINUS && (code < DIGIT_0 || code > DIGIT_9)) return at;
    const end = endOfValue(text, at);
    pieces.push(text.slice(kept, at), write(text.slice(at, end), end));
    kept = end;
    return end - 1;
  });
  return pieces.join("") + text.slice(kept);
}
