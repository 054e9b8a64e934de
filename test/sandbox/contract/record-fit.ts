import type { Endpoint } from "../../../src/api/endpoint.ts";
import type { Field, RecordShape } from "../../../src/api/record.ts";
import { list } from "./service.ts";

/** Returns a sentence for each field whose value does not match the contract; unknown fields are allowed. */
export function misfitsOf(value: unknown, shape: RecordShape, path: string): readonly string[] {
  if (typeof value !== "object" || value === null) return [`${path} is no object`];
  return Object.entries(shape).flatMap(([name, field]) =>
    misfitOf(Reflect.get(value, name), field, `${path}.${name}`),
  );
}

function misfitOf(value: unknown, field: Field, path: string): readonly string[] {
  if (value === undefined) return field.optional ? [] : [`${path} is missing`];
  if (value === null) return field.nullable ? [] : [`${path} is null`];
  const { type } = field;
  switch (type.kind) {
    case "any":
      return [];
    case "text":
      return typeof value === "string" ? [] : [`${path} is no text`];
    case "number":
      return typeof value === "number" ? [] : [`${path} is no number`];
    case "integer":
      return Number.isInteger(value) ? [] : [`${path} is no integer`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${path} is no boolean`];
    case "number-or-text":
      return typeof value === "number" || typeof value === "string"
        ? []
        : [`${path} is neither number nor text`];
    case "record":
      return misfitsOf(value, type.record, path);
    case "list":
      return Array.isArray(value)
        ? value.flatMap((each: unknown) => misfitsOf(each, type.record, `${path}[]`))
        : [`${path} is no list`];
  }
}

/** The rows of a response, by group of the contract. */
export function rowsOf(
  { reply }: Endpoint,
  body: unknown,
): readonly (readonly [group: string, rows: readonly unknown[]])[] {
  switch (reply.kind) {
    case "single":
      return [["rows", [body]]];
    case "list":
    case "batch":
    case "candles":
      return [["rows", list(body)]];
    case "cursor-pages":
    case "numbered-pages":
      return [["rows", list(body, reply.rows)]];
    case "groups":
      return reply.groups.map((group) => [group, list(body, group)] as const);
  }
}
