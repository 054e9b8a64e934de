import type { Field, NamedRecord, RecordShape } from "../../api/record.ts";

/** JSON Schema (draft 2020-12). Unknown members are allowed, because the service may add fields. */
export function jsonSchema({ name, record }: NamedRecord, description: string): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: name,
    description,
    ...objectSchema(record),
  };
}

function objectSchema(record: RecordShape): object {
  const fields = Object.entries(record);
  const required = fields.flatMap(([name, field]) => (field.optional ? [] : [name]));
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)]));
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

function fieldSchema(field: Field): object {
  const { type } = field;
  switch (type.kind) {
    case "any":
      return {};
    case "text":
      return { type: orNull(field, "string"), ...(field.reads === "time" && { format: "date-time" }) };
    case "number":
    case "integer":
    case "boolean":
      return { type: orNull(field, type.kind) };
    case "number-or-text":
      return { type: orNull(field, "string", "number") };
    case "record":
      return { ...objectSchema(type.record), type: orNull(field, "object") };
    case "list":
      return { type: orNull(field, "array"), items: objectSchema(type.record) };
  }
}

function orNull({ nullable }: Field, ...types: readonly string[]): string | readonly string[] {
  const all = nullable ? [...types, "null"] : types;
  return all.length === 1 ? String(all[0]) : all;
}

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
