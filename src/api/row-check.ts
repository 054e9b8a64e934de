import * as z from "zod";
import type { Field, RecordShape } from "./record.ts";

/** Returns the problem with a row as `field: expected …`, or undefined if the row matches the contract. */
type RowCheck = (row: object) => string | undefined;

/** Unknown fields are accepted, because the service may add fields at any time. */
export function compileRowCheck(shape: RecordShape): RowCheck {
  const schema = recordSchema(shape);
  return (row) => {
    const result = schema.safeParse(row);
    if (result.success) return undefined;
    const [issue] = result.error.issues;
    return issue === undefined ? "does not match the schema" : `${issue.path.join(".")}: ${issue.message}`;
  };
}

function recordSchema(shape: RecordShape): z.ZodType {
  return z.looseObject(
    Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, fieldSchema(field)])),
  );
}

function fieldSchema(field: Field): z.ZodType {
  const schema = typeSchema(field);
  const orNull = field.nullable ? schema.nullable() : schema;
  return field.optional ? orNull.optional() : orNull;
}

function typeSchema({ type }: Field): z.ZodType {
  switch (type.kind) {
    case "text":
      return z.string();
    case "number":
      return z.number();
    case "integer":
      // z.int() rejects counts and supplies above 2^53. As doubles, they are rounded but are still integers.
      return z.number().refine(Number.isInteger, "expected an integer");
    case "boolean":
      return z.boolean();
    case "any":
      return z.unknown();
    case "number-or-text":
      return z.union([z.string(), z.number()]);
    case "record":
      return recordSchema(type.record);
    case "list":
      return z.array(recordSchema(type.record));
  }
}
