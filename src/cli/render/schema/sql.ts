import type { Field, NamedRecord } from "../../../api/record.ts";

export const sqlDialects = ["postgres", "sqlite", "duckdb"] as const;
export type SqlDialect = (typeof sqlDialects)[number];

/** Preserves every digit: SQLite's NUMERIC keeps 15, and DuckDB's needs a fixed precision, so these use text. */
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

/** Each member becomes a column. Nested members are stored as JSON. */
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
