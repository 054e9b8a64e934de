import { compactJson } from "../../model/json/json-text.ts";
import { createPathReader } from "../../model/json/path-reader.ts";

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
    const members = names.map((name, index) => `${name}:${compactJson(values[index] ?? "null")}`);
    return `{${members.join(",")}}`;
  };
}

/** `24h.volume_usd` → its names, from the row inwards. */
export function splitPath(path: string): readonly string[] {
  return path.split(".");
}
