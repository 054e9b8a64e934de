import * as z from "zod";
import type { Field, RecordShape } from "./record.ts";

/** Returns the first field that does not match the contract, and what it must be; undefined if the row matches. */
type RowCheck = (row: object) => { readonly field: string; readonly expected: string } | undefined;

/** Unknown fields are accepted, because the service may add fields at any time. */
export function compileRowCheck(shape: RecordShape): RowCheck {
  const schema = recordSchema(shape);
  return (row) => {
    const issue = schema.safeParse(row).error?.issues[0];
    return issue && { field: issue.path.join("."), expected: issue.message };
  };
}

function recordSchema(shape: RecordShape): z.ZodType {
  return z.looseObject(
    Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, fieldSchema(field)])),
    "an object",
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
      return z.string("a string");
    case "number":
      return z.number("a number");
    case "integer":
      // z.int() rejects counts and supplies above 2^53. As doubles, they are rounded but are still integers.
      return z.number("an integer").refine(Number.isInteger, "an integer");
    case "boolean":
      return z.boolean("true or false");
    case "any":
      return z.unknown();
    case "number-or-text":
      return z.union([z.string(), z.number()], "a string or a number");
    case "record":
      return recordSchema(type.record);
    case "list":
      return z.array(recordSchema(type.record), "an array");
  }
}
