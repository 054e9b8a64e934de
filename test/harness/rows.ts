export type Row = Readonly<Record<string, unknown>>;

/** Returns the parsed lines of NDJSON; a line that is not an object fails the test. */
export function rowsOf(ndjson: string): readonly Row[] {
  return ndjson.split("\n").slice(0, -1).map(toRow);
}

/** Returns one field of each line. */
export function fieldOf(ndjson: string, name: string): readonly unknown[] {
  return rowsOf(ndjson).map((row) => row[name]);
}

export function toRow(text: string): Row {
  const value: unknown = JSON.parse(text);
  if (!isRow(value)) throw new Error(`not an object: ${text.slice(0, 200)}`);
  return value;
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
