import { visibleText } from "../sanitise.ts";
import type { Writing } from "./format.ts";
import { PLAIN, separatedFormat } from "./separated-format.ts";

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A formula to a spreadsheet, also in full width. Spaces and apostrophes may precede it, so that the guard can be undone. */
const FORMULA = /^[\s']*[=+\-@＝＋－＠]/;
/** In older versions of COPY, a line with only `\.` ends the input. */
const QUOTED = /[",]|^\\\.$/;

/**
 * RFC 4180 with LF, which every CSV reader and every line-based tool accepts. The escapes are the same as in `visibleText`. A text
 * that a spreadsheet would run as a formula gets an apostrophe in front, and so does a text of apostrophes and a formula.
 * Null is an empty cell, an empty string `""`.
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
  // One empty cell, because most CSV readers skip an empty line.
  emptyLine: '""',
};

export const csv = separatedFormat(
  "csv",
  "RFC 4180 with LF; the columns come from the table, --columns or --fields. Null is an empty cell, and an " +
    `empty string is "". Text that starts like a formula is prefixed with '; numbers are not.`,
  csvText,
);

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
