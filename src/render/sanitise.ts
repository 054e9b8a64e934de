import { replaceEach } from "../text/collect-text.ts";
import { UNSAFE_IN_LINE } from "../text/unsafe-text.ts";

/**
 * Escapes text of the service for people: a table's cell, a message. Characters that could act on a terminal, break the
 * line or hide become visible escapes: `\n`, `\r`, `\t`, and `\u{202e}` for everything else, as in JavaScript. Other
 * text, emoji and Chinese included, is unchanged. An emoji joined by U+200D falls into its parts, since a zero-width
 * joiner also hides in names.
 *
 * A backslash is doubled only where it would read as the start of such an escape. So different texts always look
 * different, and `C:\pool` stays as it is.
 */
export const visibleText = createEscape(UNSAFE_IN_LINE);

/**
 * The same where the locale is not UTF-8: every character beyond ASCII is escaped too. Its bytes would show as
 * other letters, and no bytes of such a locale can represent it.
 */
export const asciiText = createEscape(`${UNSAFE_IN_LINE}\\u0080-\\u{10ffff}`);

/** `unsafe`: ranges for a regular expression with the `u` flag. */
function createEscape(unsafe: string): (text: string) => string {
  const suspect = new RegExp(`[\\\\${unsafe}]`, "u");
  const every = new RegExp(`\\\\(?=[\\\\nrt]|u\\{|[${unsafe}])|[${unsafe}]`, "gu");
  return (text) => (suspect.test(text) ? replaceEach(text, every, writeEscape) : text);
}

/** Matches the escapes in an escaped text. */
export const ESCAPES = /\\(?:[\\nrt]|u\{[\da-f]+\})/gu;

export const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);

function writeEscape(character: string): string {
  return NAMED_ESCAPES.get(character) ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
