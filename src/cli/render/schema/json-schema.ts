import type { Field, NamedRecord, RecordShape } from "../../../api/record.ts";

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
