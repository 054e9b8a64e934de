import { member } from "../../json/raw-json.ts";
import type { Field, RecordShape } from "../../contract/record.ts";

/** A parsed value by path, with names in objects, indices in arrays, and `*` for all elements. Never inherited members. */
export function valueAt(value: unknown, path: readonly string[], from = 0): unknown {
  let reached = value;
  for (let depth = from; depth < path.length; depth++) {
    const step = path[depth] ?? "";
    if (typeof reached !== "object" || reached === null) return undefined;
    if (!Array.isArray(reached)) reached = member(reached, step);
    else if (step === "*") return reached.map((item: unknown) => valueAt(item, path, depth + 1) ?? null);
    else reached = /^(?:0|[1-9]\d*)$/.test(step) ? reached[Number(step)] : undefined;
  }
  return reached;
}

/** The contract's field at a path; undefined for a path that the contract does not name. */
export function fieldAt(shape: RecordShape, path: readonly string[]): Field | undefined {
  let fields: RecordShape | undefined = shape;
  let field: Field | undefined;
  for (const step of path) {
    if (field?.type.kind === "list" && /^(?:\d+|\*)$/.test(step)) {
      // The element itself is an object of the list's shape, not one of its fields.
      field = { ...field, type: { kind: "record", record: field.type.record } };
      continue;
    }
    fields = field === undefined ? shape : field.type.kind === "record" ? field.type.record : undefined;
    if (fields === undefined || !Object.hasOwn(fields, step)) return undefined;
    field = fields[step];
  }
  return field;
}
