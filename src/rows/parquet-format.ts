import { createHash } from "node:crypto";
import type { RowShape } from "../api/endpoint.ts";
import type { Field } from "../api/record.ts";

/** `json` is compact JSON text. A `decimal` is an integer of up to 38 digits, and a `time` counts microseconds. */
export const cellTypes = ["text", "time", "double", "decimal", "integer", "boolean", "json"] as const;
export type CellType = (typeof cellTypes)[number];

/** As in messages. */
export const typeNames: Readonly<Record<CellType, string>> = {
  text: "STRING",
  json: "STRING",
  time: "TIMESTAMP(MICROS)",
  double: "DOUBLE",
  decimal: "DECIMAL(38,0)",
  integer: "INT64",
  boolean: "BOOLEAN",
};

/** A column of the files that dexdata writes. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: CellType;
  /** The service may send both numbers and strings. */
  readonly isNumberOrText?: boolean;
}

/**
 * An object with the exact JSON of each value that does not fit its column, and of each field that the contract does not
 * have. It is always the last column.
 */
export const otherColumn: ParquetColumn = { name: "other", type: "json" };

/**
 * One column for each field of a row, in the order of the contract, then the fields that dexdata adds. These columns may
 * not change before the next major version, because readers that combine files of two versions would fail or hide
 * columns. Fields that the service adds are in `other`, also after the contract has them.
 */
export function columnsOf({ record, added }: Pick<RowShape, "record" | "added">): readonly ParquetColumn[] {
  const fields = Object.entries({ ...record, ...added?.record }).filter(([, { isLater }]) => !isLater);
  return [...fields.map(([name, field]) => columnOf(name, field)), otherColumn];
}

/** A field that is not in the contract can contain any JSON. */
export function columnOf(name: string, field: Field | undefined): ParquetColumn {
  const type = field === undefined ? "json" : cellTypeOf(field);
  return field?.type.kind === "number-or-text" ? { name, type, isNumberOrText: true } : { name, type };
}

function cellTypeOf({ type: { kind }, reads, isRaw }: Field): CellType {
  switch (kind) {
    case "text":
      return reads === "time" ? "time" : "text";
    case "number-or-text":
      return reads === "address" ? "text" : "decimal";
    case "number":
      return isRaw ? "decimal" : "double";
    case "integer":
    case "boolean":
      return kind;
    case "any":
    case "record":
    case "list":
      return "json";
  }
}

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

/** The file is not a Parquet file that dexdata has written, or its bytes have changed since. */
export class UnreadableParquet extends Error {}
