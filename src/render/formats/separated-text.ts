import { compactJson, escapeJsonText } from "../../json/json-text.ts";

/** What stands in a cell: text, or a JSON value's own text. Undefined and the text `null` are nothing. */
export type SeparatedCell = { readonly text: string } | string | undefined;

/** How one format of separated values writes a cell, and a row without anything. */
export interface Writing {
  readonly separator: string;
  readonly nothing: string;
  readonly emptyLine: string;
  readonly writeText: (text: string) => string;
  readonly writeJson: (text: string) => string;
}

/**
 * One line of a file of separated values, always exactly one: what could break it, act on a terminal or hide is
 * escaped, so that no name of a stranger forges a row. What is escaped leads back to the value.
 */
export function separatedLine(cells: readonly SeparatedCell[], writing: Writing): string {
  const { separator, writeText, writeJson, nothing, emptyLine } = writing;
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
  return `${line === "" ? emptyLine : line}\n`;
}

const QUOTE = 34;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;

/** Most cells are of these, and mean the same in every format. */
export const PLAIN = /^[0-9A-Za-z][\w .:/$#()-]*$/;

/** A string has an escape seldom, and cutting the quotes off is then all there is to do. */
function decoded(token: string): string {
  return token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1);
}

function compact(token: string): string {
  return escapeJsonText(compactJson(token));
}
