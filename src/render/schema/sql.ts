import type { Field, NamedRecord } from "../../contract/record.ts";
import type { SqlDialect } from "./sql-dialects.ts";

/** What a column has to hold. */
type Content = "text" | "time" | "boolean" | "integer" | "decimal" | "json";

/**
 * Types that keep every digit: NUMERIC does so in PostgreSQL alone. SQLite keeps 15 of a NUMERIC, and DuckDB has no
 * decimal without bounds, so there numbers are kept as their text.
 */
const columnTypes: Readonly<Record<SqlDialect, Readonly<Record<Content, string>>>> = {
  postgres: {
    text: "TEXT",
    time: "TIMESTAMPTZ",
    boolean: "BOOLEAN",
    integer: "BIGINT",
    decimal: "NUMERIC",
    json: "JSONB",
  },
  sqlite: {
    text: "TEXT",
    time: "TEXT",
    boolean: "INTEGER",
    integer: "INTEGER",
    decimal: "TEXT",
    json: "TEXT",
  },
  duckdb: {
    text: "VARCHAR",
    time: "TIMESTAMPTZ",
    boolean: "BOOLEAN",
    integer: "BIGINT",
    decimal: "VARCHAR",
    json: "JSON",
  },
};

/** What is lost all the same, or what to know before computing. */
const remarks: Readonly<Record<SqlDialect, string>> = {
  postgres: "NUMERIC keeps every digit; TIMESTAMPTZ keeps microseconds.",
  sqlite: "Numbers are text, which keeps every digit; CAST(price AS REAL) computes with them.",
  duckdb: "Numbers are text, which keeps every digit; price::DOUBLE computes with them.",
};

/** A table for rows of the record: a column for each member, nested ones as JSON. */
export function createTable({ name, record }: NamedRecord, description: string, dialect: SqlDialect): string {
  const columns = Object.entries(record).map(([column, field]) => {
    const isRequired = !field.optional && !field.nullable;
    return `  "${column}" ${columnTypes[dialect][contentOf(field)]}${isRequired ? " NOT NULL" : ""}`;
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

function contentOf({ type, reads }: Field): Content {
  switch (type.kind) {
    case "boolean":
      return "boolean";
    case "number":
      return "decimal";
    // Raw amounts pass 64 bits; counts, blocks and seconds do not.
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
