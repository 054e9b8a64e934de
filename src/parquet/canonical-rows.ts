import { createHash } from "node:crypto";
import type { ParquetColumn } from "./parquet-columns.ts";
import { canonicalText, type Cell } from "./cells.ts";

export interface RowSummary {
  readonly rows: number;
  /** Of the canonical rows, each with its line break. It does not depend on how the file is compressed. */
  readonly rows_sha256: string;
  /** The canonical text of the first row; null if there are no rows. */
  readonly first: string | null;
  readonly last: string | null;
}

/** Returns a row as one line of JSON with a line break: members in the order of the columns, and no nulls. */
export function createLineWriter(
  columns: readonly ParquetColumn[],
): (cell: (column: number) => Cell) => string {
  const parts = columns.map(({ name, type }) => ({ type, key: `${JSON.stringify(name)}:` }));
  return (cellOf) => {
    let members = "";
    for (let index = 0; index < parts.length; index += 1) {
      const part = parts[index];
      const cell = cellOf(index);
      if (cell === null || part === undefined) continue;
      members += `${members === "" ? "" : ","}${part.key}${canonicalText(part.type, cell)}`;
    }
    return `{${members}}\n`;
  };
}

/** Hashes canonical rows. Each text contains one or more complete lines. */
export function createRowHash() {
  const hash = createHash("sha256");
  let rows = 0;
  let first: string | null = null;
  let last: string | null = null;
  return {
    add: (lines: string, count: number): void => {
      if (count === 0) return;
      hash.update(lines);
      rows += count;
      first ??= lines.slice(0, lines.indexOf("\n"));
      last = lines.slice(lines.lastIndexOf("\n", lines.length - 2) + 1, -1);
    },
    summary: (): RowSummary => ({ rows, rows_sha256: hash.copy().digest("hex"), first, last }),
  };
}
