import { NAMED_ESCAPES, visibleText } from "../sanitize.ts";
import type { Format, LocalLook, LocalRow, Writing } from "../renderer.ts";
import { replaceEach, UNSAFE_IN_LINE } from "../../../base/text/unsafe-text.ts";

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Includes full-width characters. Leading apostrophes match, so that removing an added one restores the text. */
const FORMULA = /^[\s']*[=+\-@＝＋－＠]/;
/** Older versions of COPY treat a line with only `\.` as the end of input. */
const QUOTED = /[",]|^\\\.$/;

/**
 * CSV according to RFC 4180, but with LF line endings, which every CSV reader and line-based tool accepts. Text that
 * matches FORMULA gets a leading apostrophe. Null becomes an empty cell, and an empty string becomes `""`.
 */
export const csvText: Writing = {
  separator: ",",
  nothing: "",
  writeText: (text) => {
    if (PLAIN.test(text)) return text;
    if (text === "") return '""';
    return quoted(visibleText(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text));
  },
  writeJson: quoted,
  // Most CSV readers skip empty lines.
  emptyLine: '""',
};

export const csv = separatedFormat(
  "RFC 4180 with LF; the fields of the table, unless --columns or --fields ('*': all) selects others. Null is an empty cell, and an " +
    `empty string is "". Text that looks like a formula gets a leading apostrophe; numbers do not.`,
  csvText,
);

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

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
  "Text format of PostgreSQL's COPY: \\N is null. Text that looks like a formula stays unchanged.",
  tsvText,
);

function escapeBytes(character: string): string {
  const named = NAMED_ESCAPES.get(character);
  if (named !== undefined) return named;
  const unit = character.charCodeAt(0);
  // Node replaces lone surrogates with U+FFFD, which would make different strings equal.
  const bytes = character.isWellFormed()
    ? [...Buffer.from(character)]
    : [0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Most cells match this pattern, and every format writes such cells unchanged. */
const PLAIN = /^[0-9A-Za-z][\w .:/$#()-]*$/;

/** Creates a separated-values format: a header line with the column names, then one line per row. */
function separatedFormat(summary: string, writing: Writing): Format {
  const local = async (rows: readonly LocalRow[], { hasHeader }: LocalLook): Promise<string> =>
    (await import("./separated-rows.ts")).localLines(rows, hasHeader, writing);
  return {
    summary,
    columns: "named",
    isClosed: false,
    errors: "text",
    createRenderer: async (presentation) =>
      (await import("./separated-rows.ts")).createSeparated(presentation, writing),
    local: { rows: local, record: (record, look) => local([record], look) },
  };
}
