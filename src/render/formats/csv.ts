import { visibleText } from "../sanitise.ts";
import type { Writing } from "./format.ts";
import { PLAIN, separatedFormat } from "./separated-format.ts";

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/**
 * Matches text that a spreadsheet would run as a formula, including full-width characters. It also matches after
 * leading spaces and apostrophes, so that removing the added apostrophe always restores the text.
 */
const FORMULA = /^[\s']*[=+\-@＝＋－＠]/;
/** Older versions of COPY treat a line with only `\.` as the end of the input. */
const QUOTED = /[",]|^\\\.$/;

/**
 * CSV according to RFC 4180, but with LF line endings, which every CSV reader and line-based tool accepts. Escapes are
 * the same as in `visibleText`. Text that a spreadsheet would run as a formula gets a leading apostrophe. So does text
 * that already has apostrophes before a formula. Null becomes an empty cell, and an empty string becomes `""`.
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
  // A row without values is written as one empty quoted cell, because most CSV readers skip empty lines.
  emptyLine: '""',
};

export const csv = separatedFormat(
  "csv",
  "RFC 4180 with LF; the columns come from the table, --columns or --fields. Null is an empty cell, and an " +
    `empty string is "". Text that looks like a formula gets a leading apostrophe; numbers do not.`,
  csvText,
);

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
