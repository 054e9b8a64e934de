import { compactJson, escapeJsonText } from "../../json/json-text.ts";
import { createPathReader } from "../../json/path-reader.ts";
import type { Output } from "../../context/context.ts";

/**
 * The text of a row to write: itself, or with `--fields` a flat object with what each path leads to under the path as
 * typed, in that order; null where there is nothing. Values keep their text, less white space that means nothing.
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
      members += `${separator}${names[index]}:${holdsOthers(value) ? compactJson(value) : value}`;
    }
    return `{${members}}`;
  };
}

/** Only in what holds other values is there white space to take out. */
function holdsOthers(value: string): boolean {
  return value.startsWith("{") || value.startsWith("[");
}

/** `24h.volume_usd` → its names, from the row inwards. */
export function splitPath(path: string): readonly string[] {
  return path.split(".");
}

/** Escapes make a text up to six times as long: a long one goes out in pieces, so that it never stands in memory thrice. */
const longestPiece = 1024 * 1024;

/** JSON text of the service, with every character that could act on a terminal escaped. */
export async function writeJson(output: Output, text: string): Promise<void> {
  let at = 0;
  do {
    const end = pieceEnd(text, at + longestPiece);
    await output.write(escapeJsonText(text.slice(at, end)));
    at = end;
  } while (at < text.length);
}

/** Not between the halves of a character beyond U+FFFF, which would be taken for lone ones. */
function pieceEnd(text: string, end: number): number {
  return end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

/** What commands of ours show. What the service said stands in it too: a plan, an amount, the reason of a refusal. */
export function jsonLine(value: object, isPretty: boolean): string {
  return `${escapeJsonText(JSON.stringify(value, null, isPretty ? 2 : 0))}\n`;
}
