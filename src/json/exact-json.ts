import { eachOutsideStrings, endOfValue, skipBlanks } from "./json-scan.ts";

const MINUS = 45;
const DIGIT_0 = 48;
const DIGIT_9 = 57;

/** Integers up to 2^53 have at most 16 digits, so a shorter one is exact as a number. */
const LONG_INTEGER = /^-?[1-9]\d{15,999}$/;

/**
 * `JSON.parse`, but integers of 16 and more digits arrive as `bigint`, since a number would round those above
 * 2^53. Every other number is a number, and a string of digits stays a string. Integers of more than 1,000 digits
 * are left to `JSON.parse` as well: reading millions of digits takes longer than linear time.
 *
 * Throws a SyntaxError exactly when `JSON.parse` does.
 */
export function parseExact(text: string): unknown {
  // Nearly every answer has no such integer, and this look at the text costs little beside `JSON.parse`.
  if (!/(?:^|[:,[\s])-?\d{16}/.test(text)) return JSON.parse(text);
  const marker = unusedMarker(text);
  const marked = markLongIntegers(text, marker);
  return marked === text ? JSON.parse(text) : restoreIntegers(JSON.parse(marked), marker);
}

/**
 * A beginning that no string of the document has, or contains, whether written plainly or with `\uXXXX`. Of the
 * candidates those that occur are collected in one pass, so that a document full of them costs no more.
 */
function unusedMarker(text: string): string {
  const used = new Set<string>();
  const collect = (document: string): void => {
    for (const [candidate] of document.matchAll(/@integer\d{1,9}:/g)) used.add(candidate);
  };
  collect(text);
  if (text.includes("\\u")) {
    // An escaped backslash in front (`\\u0040`) is taken for an escape too: one candidate fewer, nothing worse.
    collect(
      text.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    );
  }
  let number = 0;
  while (used.has(`@integer${number}:`)) number++;
  return `@integer${number}:`;
}

/** Writes each long integer as a string that begins with the marker. */
function markLongIntegers(text: string, marker: string): string {
  return replaceNumbers(text, (token, end) =>
    // In front of a colon it would become the name of a member, and an error would pass for an answer.
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
      // `JSON.parse` made every key a property of its own, `__proto__` too, and assigning keeps it one.
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
 * `JSON.parse`, but every number arrives as a string of the very digits that were written. Throws a SyntaxError where
 * `JSON.parse` does.
 */
export function parseNumbersAsText(text: string): unknown {
  // Quoting would make `01` or a number in place of a name pass for JSON.
  JSON.parse(text);
  return JSON.parse(replaceNumbers(text, (token) => `"${token}"`));
}

/** The text with what `write` makes of each number. */
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
