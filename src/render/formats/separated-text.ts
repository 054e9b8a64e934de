import { compactJson, escapeJsonText } from "../../json/json-text.ts";
import type { Separated } from "../../contract/output-format.ts";
import { replaceEach } from "../../text/replace-each.ts";
import { UNSAFE_IN_LINE } from "../../text/unsafe-text.ts";
import { visibleText } from "../sanitise.ts";

/** What stands in a cell: text, or a JSON value's own text. Undefined and the text `null` are nothing. */
export type SeparatedCell = { readonly text: string } | string | undefined;

/**
 * One line of a file of separated values, always exactly one: what could break it, act on a terminal or hide is
 * escaped, so that no name of a stranger forges a row. Both lead back to the value.
 *
 * CSV is RFC 4180 with LF, which every reader takes and tools for lines need. Escapes are those of `visibleText`. A
 * text that a spreadsheet would run as a formula has an apostrophe before it, and so has one with apostrophes before a
 * formula. Nothing is an empty cell, an empty text `""`. TSV is the text format of PostgreSQL's COPY: `\N` for nothing,
 * bytes as `\xe2`. It is for programs, and has no guard.
 */
export function separatedLine(cells: readonly SeparatedCell[], format: Separated): string {
  const { separator, writeText, writeJson, nothing } = format === "csv" ? csv : tsv;
  let line = "";
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) line += separator;
    const cell = cells[index];
    if (cell === undefined || cell === "null") line += nothing;
    else if (typeof cell === "object") line += writeText(cell.text);
    else {
      const first = cell.charCodeAt(0);
      if (first === QUOTE) line += writeText(decoded(cell));
      else line += first === OPEN_OBJECT || first === OPEN_ARRAY ? writeJson(compact(cell)) : cell;
    }
  }
  // One empty cell: most readers of CSV pass over an empty line. In the text format it stands for an empty text.
  return line === "" && format === "csv" ? '""\n' : `${line}\n`;
}

const QUOTE = 34;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;

interface Writing {
  readonly separator: string;
  readonly nothing: string;
  readonly writeText: (text: string) => string;
  readonly writeJson: (text: string) => string;
}

/** Most cells are of these, and mean the same in every format. */
const PLAIN = /^[0-9A-Za-z][\w .:/$#()-]*$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** As a spreadsheet reads it, also in full width; after blanks and apostrophes as well, so that guarding can be undone. */
const FORMULA = /^[\s']*[=+\-@＝＋－＠]/;
/** `\.` alone in a line ends the input of older versions of COPY. */
const QUOTED = /[",]|^\\\.$/;

const csv: Writing = {
  separator: ",",
  nothing: "",
  writeText: (text) => {
    if (PLAIN.test(text)) return text;
    if (text === "") return '""';
    const safe = visibleText(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
    return quoted(safe);
  },
  writeJson: (text) => quoted(text),
};

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const tsv: Writing = {
  separator: "\t",
  nothing: String.raw`\N`,
  writeText: (text) => (PLAIN.test(text) ? text : replaceEach(text, EVERY_ESCAPED, escapeBytes)),
  writeJson: (text) => text.replaceAll("\\", "\\\\"),
};

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

/** A string has an escape seldom, and cutting the quotes off is then all there is to do. */
function decoded(token: string): string {
  return token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1);
}

function compact(token: string): string {
  return escapeJsonText(compactJson(token));
}
