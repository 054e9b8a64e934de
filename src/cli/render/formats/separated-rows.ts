import { splitPath } from "../../../api/record.ts";
import { rowShape } from "../../../api/endpoint.ts";
import { decodeName, OPEN_ARRAY, OPEN_OBJECT } from "../../../base/json/json-scan.ts";
import { compactJson, escapeJsonText } from "../../../base/json/json-text.ts";
import { createPathReader } from "../../../base/json/path-reader.ts";
import { namedField } from "../table/choose-columns.ts";
import { tableColumns } from "../table/columns.ts";
import type { Presentation, Renderer, LocalRow } from "../renderer.ts";
import { NAMED_ESCAPES, replaceEach, UNSAFE_IN_LINE, visibleText } from "../../../base/text/unsafe-text.ts";
import { rowTexts } from "./json.ts";

/**
 * By default, the columns match the table's, with one for each name that a field can have. With `--fields '*'`, there
 * is one for each field. They are fixed before the first row. With several groups, the first column is the group,
 * followed by the columns of all groups.
 */
export function createSeparated(presentation: Presentation, writing: Writing): Renderer {
  const { endpoint, output, groups, isContinued, hasHeader, isWhole, lead: names = [] } = presentation;
  const leading = leadingFields(presentation);
  const shown = groups.flatMap((group) => {
    const shape = rowShape(endpoint, group);
    if (presentation.hasAllFields) return Object.keys({ ...shape.record, ...shape.added?.record });
    const own = tableColumns(shape, presentation).flatMap((column) =>
      column.paths.map((path) => path.join(".")),
    );
    return presentation.columns === undefined ? own : own.map((field) => namedField(shape, field));
  });
  const paths = [...new Set([...leading.keys(), ...shown])];
  const read = createPathReader(paths.map(splitPath));
  const params = [...leading.values()];
  const isLabelled = groups.length > 1;
  // A column of the input keeps its name.
  const titles = (isLabelled ? ["group", ...paths] : paths).map((name) =>
    names.includes(name) ? `dexdata_${name}` : name,
  );
  let header = isContinued || !hasHeader ? "" : separatedLine([...names, ...titles].map(asJson), writing);

  return {
    page: async ({ group, rows, lead = [] }, args) => {
      if (rows.length === 0 || !groups.includes(group)) return;
      let lines = header;
      header = "";
      for (const [index, row] of rowTexts(rows, isWhole).entries()) {
        const own = [...read(row)];
        for (const [at, param] of params.entries()) own[at] ??= asJson(args?.get(param));
        const cells = isLabelled ? [asJson(group), ...own] : own;
        const before = lead[index]?.map((cell) => (cell === "" ? undefined : asJson(cell)));
        lines += separatedLine(before === undefined ? cells : [...before, ...cells], writing);
      }
      await output.write(lines);
    },
    end: async () => {
      if (header !== "") await output.write(header);
    },
  };
}

/** The fields that come first, each with the parameter that has its value. Rows of 2025 do not name their pool. */
function leadingFields({ endpoint, groups, fields, columns }: Presentation): ReadonlyMap<string, string> {
  const [group] = groups;
  if (fields !== undefined || columns !== undefined || groups.length !== 1) return new Map();
  const { leading = [], owned = {} } = rowShape(endpoint, group);
  return new Map(leading.map((field) => [field, owned[field] ?? ""]));
}

export function localLines(rows: readonly LocalRow[], hasHeader: boolean, writing: Writing): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => asJson(row[name])));
  const lines = hasHeader && rows.length > 0 ? [names.map(asJson), ...cells] : cells;
  return lines.map((line) => separatedLine(line, writing)).join("");
}

function asJson(value: LocalRow[string]): string | undefined {
  return JSON.stringify(value);
}

/**
 * Reversibly escapes whatever could break the line or affect a terminal, so a token name cannot forge a row. The cells
 * are JSON. Undefined and `null` mean no value.
 */
export function separatedLine(cells: readonly (string | undefined)[], writing: Writing): string {
  const { separator, writeText, writeJson, nothing, emptyLine } = writing;
  let line = "";
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) line += separator;
    const cell = cells[index];
    if (cell === undefined || cell === "null") line += nothing;
    else {
      const first = cell.charCodeAt(0);
      if (first === QUOTE) line += writeText(decodeName(cell));
      else if (first === OPEN_OBJECT || first === OPEN_ARRAY)
        line += writeJson(escapeJsonText(compactJson(cell)));
      else line += cell;
    }
  }
  return `${line === "" ? emptyLine : line}\n`;
}

const QUOTE = 34;

interface Writing {
  readonly separator: string;
  readonly nothing: string;
  readonly emptyLine: string;
  readonly writeText: (text: string) => string;
  readonly writeJson: (text: string) => string;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Includes full-width characters. Leading apostrophes match, so that removing an added one restores the text. */
const FORMULA = /^[\s']*[=+\-@＝＋－＠]/;
/** Older versions of COPY treat a line with only `\.` as the end of input. */
const QUOTED = /[",]|^\\\.$/;

/**
 * CSV according to RFC 4180, but with LF line endings, which every CSV reader and line-based tool accepts. Text that
 * matches FORMULA gets a leading apostrophe. Null becomes an empty cell, and an empty string becomes `""`.
 */
export const csv: Writing = {
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

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const EVERY_ESCAPED = new RegExp(`[\\\\${UNSAFE_IN_LINE}]`, "gu");

/** PostgreSQL's text format for COPY. Programs read it, so text that looks like a formula is not escaped. */
export const tsv: Writing = {
  separator: "\t",
  nothing: String.raw`\N`,
  writeText: (text) => (PLAIN.test(text) ? text : replaceEach(text, EVERY_ESCAPED, escapeBytes)),
  writeJson: (text) => text.replaceAll("\\", "\\\\"),
  // COPY reads an empty line as an empty string, so this line needs no placeholder.
  emptyLine: "",
};

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
