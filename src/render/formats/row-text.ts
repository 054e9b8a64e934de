import type { Rows } from "../../client/rows/rows.ts";
import type { Output } from "../../context/context.ts";
import { beginsWith, OPEN_ARRAY } from "../../json/json-scan.ts";
import { compactJson, escapeJsonText, prettyJson } from "../../json/json-text.ts";
import { createPathReader } from "../../json/path-reader.ts";
import { rawElements } from "../../json/raw-json.ts";

/**
 * Returns the text to write for a row: the row itself, or with `--fields` a flat object with the value of each path
 * under the path as typed, in that order; null where a path leads nowhere. Values keep their text without the white
 * space between tokens.
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

/** Only objects and arrays have white space to remove. */
function isContainer(value: string): boolean {
  return value.startsWith("{") || value.startsWith("[");
}

/** `24h.volume_usd` → its names, from the row inwards. */
export function splitPath(path: string): readonly string[] {
  return path.split(".");
}

/** The rows of a page. With `isWhole` the page holds responses of any JSON: each element of an array is a row. */
export function rowTexts(rows: Rows, isWhole = false): readonly string[] {
  return isWhole ? rows.texts().flatMap(elementsOf) : rows.texts();
}

/** Returns the elements of an array, and any other value as its only element. */
export function elementsOf(document: string): readonly string[] {
  return beginsWith(document, OPEN_ARRAY) ? rawElements(document) : [document];
}

export function jsonFormatter(isPretty: boolean): (text: string) => string {
  return isPretty ? (text) => prettyJson(text) : compactJson;
}

/** Escapes make a text up to six times as long, so a long text is written in pieces to limit memory. */
const longestPiece = 1024 * 1024;

/** Writes JSON text of the service, with every character that could act on a terminal escaped. */
export async function writeJson(output: Output, text: string): Promise<void> {
  let at = 0;
  do {
    const end = pieceEnd(text, at + longestPiece);
    await output.write(escapeJsonText(text.slice(at, end)));
    at = end;
  } while (at < text.length);
}

/** Never splits a surrogate pair: its halves would be escaped as lone surrogates. */
function pieceEnd(text: string, end: number): number {
  return end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

/** For output of dexdata itself, which can quote the service: a plan, an amount, the reason for a rejection. */
export function jsonLine(value: object, isPretty: boolean): string {
  return `${escapeJsonText(JSON.stringify(value, null, isPretty ? 2 : 0))}\n`;
}
