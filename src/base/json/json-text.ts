import { collectText, replaceEach, UNSAFE_IN_JSON } from "../text/unsafe-text.ts";
import { eachOutsideStrings, endOfValue, isBlank, skipBlanks } from "./json-scan.ts";

/**
 * Maximum white space, in characters. Thousands of nested levels would need more than a string can hold, so such a
 * document stays compact.
 */
const MOST_INDENTATION = 16 * 1024 * 1024;

/**
 * Two values are never adjacent, so white space is next to punctuation or at either end of the text. The pattern can
 * also match inside a string, so the tokens are scanned after a match.
 */
const MAY_HAVE_BLANKS = /[\n\r\t]|[[\]{}:,] | [[\]{}:,]|^ | $/;

export function compactJson(text: string): string {
  if (!MAY_HAVE_BLANKS.test(text)) return text;
  const compact = collectText();
  let kept = 0;
  eachOutsideStrings(text, (code, at) => {
    if (!isBlank(code)) return at;
    compact.add(text.slice(kept, at));
    kept = skipBlanks(text, at);
    return kept - 1;
  });
  if (kept === 0) return text;
  compact.add(text.slice(kept));
  return compact.end();
}

/**
 * Changes only the white space between tokens. `depth` is the level of the value itself; its first line is not
 * indented.
 */
export function prettyJson(text: string, indent = 2, depth = 0): string {
  const pretty = collectText();
  let level = depth;
  let indentation = 0;
  let at = skipBlanks(text, 0);
  while (at < text.length) {
    const token = text.charAt(at);
    const next = skipBlanks(text, at + 1);
    const opens = token === "{" || token === "[";
    const closes = token === "}" || token === "]";
    if (opens && /[}\]]/.test(text.charAt(next))) {
      pretty.add(token + text.charAt(next));
      at = skipBlanks(text, next + 1);
      continue;
    }
    if (opens) level++;
    if (closes) level--;
    if (level < depth) throw new SyntaxError("unexpected end of a JSON array or object");
    if (opens || closes || token === ",") {
      const lineBreak = `\n${" ".repeat(indent * level)}`;
      indentation += lineBreak.length;
      if (indentation > MOST_INDENTATION) return compactJson(text);
      pretty.add(closes ? lineBreak + token : token + lineBreak);
      at = next;
    } else if (token === ":") {
      pretty.add(": ");
      at = next;
    } else {
      const end = endOfValue(text, at);
      pretty.add(text.slice(at, end));
      at = skipBlanks(text, end);
    }
  }
  return pretty.end();
}

/**
 * Escapes every character that could affect a terminal as `\uXXXX`. Such characters occur only inside strings, so
 * `JSON.parse` still returns the same value.
 */
export function escapeJsonText(text: string): string {
  return isSafeJson(text) ? text : replaceEach(text, EVERY_UNSAFE, escapeUnits);
}

export function isSafeJson(text: string): boolean {
  return !UNSAFE.test(text);
}

const UNSAFE = new RegExp(`[${UNSAFE_IN_JSON}]`, "u");
/** Matches runs, because a hostile name may contain millions of such characters. */
const EVERY_UNSAFE = new RegExp(`[${UNSAFE_IN_JSON}]{1,256}`, "gu");

function escapeUnits(run: string): string {
  return Array.from(
    { length: run.length },
    (_, at) => `\\u${run.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
