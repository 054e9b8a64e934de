import type { RowShape } from "./endpoint.ts";
import type { Field, RecordShape } from "./record.ts";

/** A field in a row, and the path that selects it in `--fields`. */
export interface FieldAtPath {
  readonly path: string;
  readonly field: Field;
  /** The field, or a record that contains it, can be absent. */
  readonly isOptional: boolean;
  /** Added by dexdata and not sent by the service. */
  readonly isAdded: boolean;
}

/** The fields that dexdata adds come last. A list is represented by its first element. */
export function fieldPaths({ record, added }: Pick<RowShape, "record" | "added">): readonly FieldAtPath[] {
  return [...pathsIn(record, false), ...pathsIn(added?.record ?? {}, true)];
}

function pathsIn(
  record: RecordShape,
  isAdded: boolean,
  prefix = "",
  isWithinOptional = false,
): readonly FieldAtPath[] {
  return Object.entries(record).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isOptional = isWithinOptional || field.optional;
    const { type } = field;
    const inside = type.kind === "list" ? `${path}.0.` : `${path}.`;
    const inner = "record" in type ? pathsIn(type.record, isAdded, inside, isOptional) : [];
    return [{ path, field, isOptional, isAdded }, ...inner];
  });
}
