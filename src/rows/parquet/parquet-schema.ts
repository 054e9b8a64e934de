import type { SchemaElement } from "hyparquet";
import { maxDecimalDigits } from "./cells.ts";
import type { CellType, ParquetColumn } from "../parquet-format.ts";

/** In bytes; the highest one comes first. */
export const decimalLength = 16;

/**
 * Only the time has a logical type: without it, DuckDB would read local times. DuckDB cannot open files with the logical
 * type for integers. JSON is a string, because without UTF8, DuckDB would read bytes.
 */
const elements: Readonly<Record<CellType, Omit<SchemaElement, "name" | "repetition_type">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
  double: { type: "DOUBLE" },
  decimal: {
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: decimalLength,
    converted_type: "DECIMAL",
    precision: maxDecimalDigits,
    scale: 0,
  },
  integer: { type: "INT64" },
  boolean: { type: "BOOLEAN" },
};

/** Every column is optional, so that any value can be missing. */
export function schemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  const leaves = columns.map(({ name, type }): SchemaElement => ({
    name,
    repetition_type: "OPTIONAL",
    ...elements[type],
  }));
  return [{ name: "row", num_children: columns.length }, ...leaves];
}

/**
 * The same column for raw bytes and bigints. Otherwise, hyparquet would round decimals to doubles and times to
 * milliseconds, and hyparquet-writer would take several times as long for texts and decimals.
 */
export function physicalElement({ type, type_length, name, num_children }: SchemaElement): SchemaElement {
  return {
    name,
    ...(num_children === undefined ? { repetition_type: "OPTIONAL" } : { num_children }),
    ...(type === undefined ? {} : { type }),
    ...(type_length === undefined ? {} : { type_length }),
  };
}
