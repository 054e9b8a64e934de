import { splitPath } from "./value-at.ts";
import type { Rows } from "../../../client/rows.ts";
import type { Output } from "../../../base/context/context.ts";
import { beginsWith, OPEN_ARRAY, rawElements } from "../../../base/json/json-scan.ts";
import { compactJson, escapeJsonText, prettyJson } from "../../../base/json/json-text.ts";
import { createPathReader } from "../../../base/json/path-reader.ts";

/**
 * Returns the text to write for a row. With `--fields`, that is a flat object that maps each path as typed to its
 * value, or to null if the path does not exist. Only white space between tokens changes.
 */
export function createRowSelector(fields: readonly string[] | undefined): (row: string) => string {
  if (fields === undefined) return (row) => row;
  const read = createPathReader(fields.map(splitPath));
  const names = fields.map((field) => JSON.stringify(field));
  return (row) => {
    const values = read(row);
    let members = "";
    for (let index = 0; index < names.length; index += 1) {
      const value = values[index] ?? "null";
      const separator = index === 0 ? "" : ",";
      members += `${separator}${names[index]}:${isContainer(value) ? compactJson(value) : value}`;
    }
    return `{${members}}`;
  };
}

/** Only objects and arrays can contain white space. */
function isContainer(value: string): boolean {
  return value.startsWith("{") || value.startsWith("[");
}

/** With `isWhole`, a page contains complete responses, and array elements count as rows. */
export function rowTexts(rows: Rows, isWhole: boolean): readonly string[] {
  return isWhole ? rows.texts().flatMap(elementsOf) : rows.texts();
}

/** Any value other than an array becomes a single element. */
export function elementsOf(document: string): readonly string[] {
  return beginsWith(document, OPEN_ARRAY) ? rawElements(document) : [document];
}

export function jsonFormatter(isPretty: boolean): (text: string) => string {
  return isPretty ? (text) => prettyJson(text) : compactJson;
}

/** Escaping can make text six times as long, so long text is written in pieces. */
const longestPiece = 1024 * 1024;

/** Escapes every character that could affect a terminal. */
export async function writeJson(output: Output, text: string): Promise<void> {
  let at = 0;
  do {
    const end = pieceEnd(text, at + longestPiece);
    await output.write(escapeJsonText(text.slice(at, end)));
    at = end;
  } while (at < text.length);
}

/** Never splits a surrogate pair, because each half would be escaped as a lone surrogate. */
function pieceEnd(text: string, end: number): number {
  return end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

/** Escapes dexdata's own output, too, because it can quote the service: a plan, an amount or an error. */
export function jsonLine(value: object, isPretty: boolean): string {
  return `${escapeJsonText(JSON.stringify(value, null, isPretty ? 2 : 0))}\n`;
}
