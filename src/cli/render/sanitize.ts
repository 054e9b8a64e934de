import { replaceEach, UNSAFE_IN_LINE } from "../../base/text/unsafe-text.ts";

/**
 * Escapes characters that could affect a terminal, break the line or hide text: as `\n`, `\r` or `\t`, and all others
 * like `\u{202e}`. An emoji joined by U+200D is shown as its parts, because a zero-width joiner can also hide in names.
 * A backslash is doubled only where it would look like the start of an escape, so different texts always look
 * different, and `C:\pool` stays unchanged.
 */
export const visibleText = createEscape(UNSAFE_IN_LINE);

/** Like `visibleText`, for a locale that is not UTF-8, where bytes beyond ASCII would show up as other letters. */
export const asciiText = createEscape(`${UNSAFE_IN_LINE}\\u0080-\\u{10ffff}`);

export function shownText(text: string, { isUnicode }: { readonly isUnicode: boolean }): string {
  return isUnicode ? visibleText(text) : asciiText(text);
}

/** `unsafe` is a set of character ranges for a regular expression with the `u` flag. */
function createEscape(unsafe: string): (text: string) => string {
  const suspect = new RegExp(`[\\\\${unsafe}]`, "u");
  const every = new RegExp(`\\\\(?=[\\\\nrt]|u\\{|[${unsafe}])|[${unsafe}]`, "gu");
  return (text) => (suspect.test(text) ? replaceEach(text, every, writeEscape) : text);
}

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
