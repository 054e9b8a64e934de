import { UNSAFE_IN_LINE } from "../model/unsafe-text.ts";

/**
 * Text of the service for people: a table's cell, a message. What could act on a terminal, break the line or hide
 * becomes a visible escape: `\n`, `\r`, `\t`, and `\u{202e}` for everything else, as in JavaScript. All other
 * text, emoji and Chinese included, is unchanged; an emoji joined by U+200D falls into its parts, since a
 * zero-width joiner also hides in names.
 *
 * A backslash is doubled only where it would read as the beginning of such an escape, so that two texts never
 * look the same after they looked different, and `C:\pool` stays as it is.
 */
export function visibleText(text: string): string {
  return SUSPECT.test(text) ? text.replace(EVERY_UNSAFE, writeEscape) : text;
}

const SUSPECT = new RegExp(`[\\\\${UNSAFE_IN_LINE}]`, "u");
const EVERY_UNSAFE = new RegExp(`\\\\(?=[\\\\nrt]|u\\{|[${UNSAFE_IN_LINE}])|[${UNSAFE_IN_LINE}]`, "gu");

const NAMED: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);

function writeEscape(character: string): string {
  return NAMED.get(character) ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
