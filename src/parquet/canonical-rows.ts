import { createHash } from "node:crypto";
import type { ParquetColumn } from "./parquet-columns.ts";

export interface RowSummary {
  readonly rows: number;
  /** Of the canonical rows, each with its line break. It does not depend on how the file is compressed. */
  readonly rows_sha256: string;
  /** The canonical text of the first row; null if there are no rows. */
  readonly first: string | null;
  readonly last: string | null;
}

/** The name of a member, after the comma that separates it from the previous one. */
export function memberKey({ name }: ParquetColumn): string {
  return `,${JSON.stringify(name)}:`;
}

/**
 * A canonical row is one line of JSON: members in the order of the columns, without those that are null. Each of the
 * members begins with a comma.
 */
export function lineOf(members: string): string {
  return `{${members.slice(1)}}\n`;
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
