import { replaceEach } from "../../text/replace-each.ts";
import { UNSAFE_IN_LINE } from "../../text/unsafe-text.ts";
import { separatedFormat } from "./separated-format.ts";
import { PLAIN, type Writing } from "./separated-text.ts";

/** The text format of PostgreSQL's COPY: `\N` for nothing, bytes as `\xe2`. It is for programs, and has no guard. */
export const tsvText: Writing = {
  separator: "\t",
  nothing: String.raw`\N`,
  writeText: (text) => (PLAIN.test(text) ? text : replaceEach(text, EVERY_ESCAPED, escapeBytes)),
  writeJson: (text) => text.replaceAll("\\", "\\\\"),
  // There an empty line stands for an empty text.
  emptyLine: "",
};

export const tsv = separatedFormat(
  "tsv",
  "the text format of PostgreSQL's COPY: \\N is nothing. No guard against formulas",
  tsvText,
);

const EVERY_ESCAPED = new RegExp(`[\\\\${UNSAFE_IN_LINE}]`, "gu");
const NAMED: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\r", "\\r"],
]);

function escapeBytes(character: string): string {
  const named = NAMED.get(character);
  if (named !== undefined) return named;
  const bytes = utf8(character.codePointAt(0) ?? 0);
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

/** By hand, because an encoder would turn half a surrogate pair into U+FFFD, and two texts into one. */
function utf8(code: number): readonly number[] {
  if (code < 0x80) return [code];
  const last = 0x80 | (code & 0x3f);
  if (code < 0x800) return [0xc0 | (code >> 6), last];
  const third = 0x80 | ((code >> 6) & 0x3f);
  if (code < 0x10000) return [0xe0 | (code >> 12), third, last];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), third, last];
}
