import { replaceEach } from "../text/replace-each.ts";
import { UNSAFE_IN_LINE } from "../text/unsafe-text.ts";

/**
 * Text of the service for people: a table's cell, a message. What could act on a terminal, break the line or hide
 * becomes a visible escape: `\n`, `\r`, `\t`, and `\u{202e}` for everything else, as in JavaScript. All other
 * text, emoji and Chinese included, is unchanged; an emoji joined by U+200D falls into its parts, since a
 * zero-width joiner also hides in names.
 *
 * A backslash is doubled only where it would read as the beginning of such an escape, so that two texts never
 * look the same after they looked different, and `C:\pool` stays as it is.
 */
export const visibleText = createEscape(UNSAFE_IN_LINE);

/**
 * The same where the locale is not UTF-8: every character beyond ASCII is escaped likewise. Its bytes would show as
 * other letters there, and no bytes of such a locale could say it.
 */
export const asciiText = createEscape(`${UNSAFE_IN_LINE}\\u0080-\\u{10ffff}`);

/** `unsafe`: ranges for a regular expression with the `u` flag. */
function createEscape(unsafe: string): (text: string) => string {
  const suspect = new RegExp(`[\\\\${unsafe}]`, "u");
  const every = new RegExp(`\\\\(?=[\\\\nrt]|u\\{|[${unsafe}])|[${unsafe}]`, "gu");
  return (text) => (suspect.test(text) ? replaceEach(text, every, writeEscape) : text);
}

/** What an escape looks like. */
export const ESCAPES = /\\(?:[\\nrt]|u\{[\da-f]+\})/gu;

const NAMED: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);

function writeEscape(character: string): string {
  return NAMED.get(character) ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
