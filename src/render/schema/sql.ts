import type { Field, NamedRecord } from "../../contract/record.ts";

/** The databases for which dexdata can generate a table. */
export const sqlDialects = ["postgres", "sqlite", "duckdb"] as const;
export type SqlDialect = (typeof sqlDialects)[number];

/**
 * Column types that preserve every digit. Of the three NUMERIC types, only PostgreSQL's does: SQLite keeps 15 digits,
 * and DuckDB has no decimal type without a fixed precision. Those two therefore store numbers as text.
 */
const columnTypes = {
  text: { postgres: "TEXT", sqlite: "TEXT", duckdb: "VARCHAR" },
  time: { postgres: "TIMESTAMPTZ", sqlite: "TEXT", duckdb: "TIMESTAMPTZ" },
  boolean: { postgres: "BOOLEAN", sqlite: "INTEGER", duckdb: "BOOLEAN" },
  integer: { postgres: "BIGINT", sqlite: "INTEGER", duckdb: "BIGINT" },
  decimal: { postgres: "NUMERIC", sqlite: "TEXT", duckdb: "VARCHAR" },
  json: { postgres: "JSONB", sqlite: "TEXT", duckdb: "JSON" },
} as const;

/** A precision limit that remains, or the cast that arithmetic needs. */
const remarks: Readonly<Record<SqlDialect, string>> = {
  postgres: "NUMERIC keeps every digit; TIMESTAMPTZ keeps microseconds.",
  sqlite: "Numbers are text to keep every digit; to compute with them, use CAST(price AS REAL).",
  duckdb: "Numbers are text to keep every digit; to compute with them, use price::DOUBLE.",
};

/** Returns a CREATE TABLE statement for rows of the record. Each member becomes a column, nested members as JSON. */
export function createTable({ name, record }: NamedRecord, description: string, dialect: SqlDialect): string {
  const columns = Object.entries(record).map(([column, field]) => {
    const isRequired = !field.optional && !field.nullable;
    return `  "${column}" ${columnTypes[contentOf(field)][dialect]}${isRequired ? " NOT NULL" : ""}`;
  });
  return [
    `-- ${description}`,
    `-- ${remarks[dialect]}`,
    `CREATE TABLE "${name.replaceAll("-", "_")}" (`,
    columns.join(",\n"),
    ");",
    "",
  ].join("\n");
}

function contentOf({ type, reads }: Field): keyof typeof columnTypes {
  switch (type.kind) {
    case "boolean":
      return "boolean";
    case "number":
      return "decimal";
    // Raw amounts exceed 64 bits. Counts, block numbers and seconds do not.
    case "integer":
      return reads === "amount" ? "decimal" : "integer";
    case "number-or-text":
      return reads === "address" ? "text" : "decimal";
    case "text":
      if (reads === "time") return "time";
      return reads === "price" || reads === "amount" ? "decimal" : "text";
    case "any":
    case "record":
    case "list":
      return "json";
  }
}
