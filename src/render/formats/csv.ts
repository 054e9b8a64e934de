import { visibleText } from "../sanitise.ts";
import { separatedFormat } from "./separated-format.ts";
import { PLAIN, type Writing } from "./separated-text.ts";

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** As a spreadsheet reads it, also in full width; after blanks and apostrophes as well, so that guarding can be undone. */
const FORMULA = /^[\s']*[=+\-@＝＋－＠]/;
/** `\.` alone in a line ends the input of older versions of COPY. */
const QUOTED = /[",]|^\\\.$/;

/**
 * RFC 4180 with LF, which every reader takes and tools for lines need. Escapes are those of `visibleText`. A text that a
 * spreadsheet would run as a formula has an apostrophe before it, and so has one with apostrophes before a formula.
 * Nothing is an empty cell, an empty text `""`.
 */
export const csvText: Writing = {
  separator: ",",
  nothing: "",
  writeText: (text) => {
    if (PLAIN.test(text)) return text;
    if (text === "") return '""';
    const safe = visibleText(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
    return quoted(safe);
  },
  writeJson: (text) => quoted(text),
  // One empty cell: most readers of CSV pass over an empty line.
  emptyLine: '""',
};

export const csv = separatedFormat(
  "csv",
  'RFC 4180 with LF, the columns of the table, --columns or --fields. Nothing is an empty cell, an empty text ""; ' +
    "a text that begins like a formula gets a ' before it, numbers never",
  csvText,
);

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
