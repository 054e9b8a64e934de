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

/**
 * A canonical row is one line of JSON: members in the order of the columns, without those that are null. This is the
 * name of a member, after the comma that separates it from the previous one.
 */
export function memberKey({ name }: ParquetColumn): Buffer {
  return Buffer.from(`,${JSON.stringify(name)}:`);
}

const LF = 10;

/** Hashes canonical rows. Each call adds complete lines. */
export function createRowHash() {
  const hash = createHash("sha256");
  let rows = 0;
  let first: string | null = null;
  let last: string | null = null;
  return {
    add: (lines: Buffer, count: number): void => {
      if (count === 0) return;
      hash.update(lines);
      rows += count;
      first ??= lines.toString("utf8", 0, lines.indexOf(LF));
      last = lines.toString("utf8", lines.lastIndexOf(LF, lines.length - 2) + 1, lines.length - 1);
    },
    summary: (): RowSummary => ({ rows, rows_sha256: hash.copy().digest("hex"), first, last }),
  };
}
