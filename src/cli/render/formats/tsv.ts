import { replaceEach } from "../../../base/text/collect-text.ts";
import { UNSAFE_IN_LINE } from "../../../base/text/unsafe-text.ts";
import { NAMED_ESCAPES } from "../sanitize.ts";
import type { Writing } from "../format.ts";
import { PLAIN, separatedFormat } from "./separated-format.ts";

const EVERY_ESCAPED = new RegExp(`[\\\\${UNSAFE_IN_LINE}]`, "gu");

/** PostgreSQL's text format for COPY. Programs read it, so text that looks like a formula is not escaped. */
export const tsvText: Writing = {
  separator: "\t",
  nothing: String.raw`\N`,
  writeText: (text) => (PLAIN.test(text) ? text : replaceEach(text, EVERY_ESCAPED, escapeBytes)),
  writeJson: (text) => text.replaceAll("\\", "\\\\"),
  // COPY reads an empty line as an empty string, so this line needs no placeholder.
  emptyLine: "",
};

export const tsv = separatedFormat(
  "tsv",
  "Text format of PostgreSQL's COPY: \\N is null. There is no protection against formulas.",
  tsvText,
);

function escapeBytes(character: string): string {
  const named = NAMED_ESCAPES.get(character);
  if (named !== undefined) return named;
  const bytes = utf8(character.codePointAt(0) ?? 0);
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

/** TextEncoder replaces lone surrogates with U+FFFD, which would make different strings equal. */
function utf8(code: number): readonly number[] {
  if (code < 0x80) return [code];
  const last = 0x80 | (code & 0x3f);
  if (code < 0x800) return [0xc0 | (code >> 6), last];
  const third = 0x80 | ((code >> 6) & 0x3f);
  if (code < 0x10000) return [0xe0 | (code >> 12), third, last];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), third, last];
}
