import { selectFields } from "../model/raw-json.ts";

/** The text of a row to write: itself, or with `--fields` a flat object of what the paths lead to. */
export function createRowSelector(fields: readonly string[] | undefined): (row: string) => string {
  if (fields === undefined) return (row) => row;
  const paths = fields.map(splitPath);
  return (row) => selectFields(row, paths, fields);
}

/** `24h.volume_usd` → its names, from the row inwards. */
export function splitPath(path: string): readonly string[] {
  return path.split(".");
}
