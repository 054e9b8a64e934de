import { visibleText } from "../sanitize.ts";
import type { Writing } from "../format.ts";
import { PLAIN, separatedFormat } from "./separated-format.ts";

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
  "csv",
  "RFC 4180 with LF; the columns are all columns of the table, unless --columns or --fields selects others. Null is an empty cell, and an " +
    `empty string is "". Text that looks like a formula gets a leading apostrophe; numbers do not.`,
  csvText,
);

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
