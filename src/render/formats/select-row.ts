import { compactJson } from "../../json/json-text.ts";
import { createPathReader } from "../../json/path-reader.ts";

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
