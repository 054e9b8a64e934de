import type { RowShape } from "../../api/endpoint.ts";
import type { Field } from "../../api/record.ts";

/** `json` is compact JSON text. A `decimal` is an integer of up to 38 digits, and a `time` counts microseconds. */
export const cellTypes = ["text", "time", "double", "decimal", "integer", "boolean", "json"] as const;
export type CellType = (typeof cellTypes)[number];

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
