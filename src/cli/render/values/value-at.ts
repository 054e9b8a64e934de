import { member } from "../../../base/json/json-scan.ts";
import type { Field, RecordShape } from "../../../api/record.ts";

/** Splits `24h.volume_usd` into its names. */
export function splitPath(path: string): readonly string[] {
  return path.split(".");
}

/** Steps are names in objects, indices in arrays, or `*` for all elements. Inherited properties are never returned. */
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

/** Returns undefined for a path that is not in the contract. */
export function fieldAt(shape: RecordShape, path: readonly string[]): Field | undefined {
  let fields: RecordShape | undefined = shape;
  let field: Field | undefined;
  for (const step of path) {
    if (field?.type.kind === "any") return field;
    if (field?.type.kind === "list" && /^(?:\d+|\*)$/.test(step)) {
      // The element is an object of the list's shape, so the index does not select a field.
      field = { ...field, type: { kind: "record", record: field.type.record } };
      continue;
    }
    fields = field === undefined ? shape : field.type.kind === "record" ? field.type.record : undefined;
    if (fields === undefined || !Object.hasOwn(fields, step)) return undefined;
    field = fields[step];
  }
  return field;
}
