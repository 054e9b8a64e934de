import type { RowShape } from "./endpoint.ts";
import type { Field, RecordShape } from "./record.ts";

/** A field of a row under the path that `--fields` takes. */
export interface FieldAtPath {
  readonly path: string;
  readonly field: Field;
  /** The field itself, or something it stands in, may be left out. */
  readonly isOptional: boolean;
  /** Written by this program, not by the service. */
  readonly isAdded: boolean;
}

/** Every field that the contract names, in its order; what stands in a list is shown of the first element. */
export function fieldPaths({ record, added }: Pick<RowShape, "record" | "added">): readonly FieldAtPath[] {
  const own = pathsIn(record, "", false).map((each) => ({ ...each, isAdded: false }));
  const ours = pathsIn(added?.record ?? {}, "", false).map((each) => ({ ...each, isAdded: true }));
  return [...own, ...ours];
}

function pathsIn(
  record: RecordShape,
  prefix: string,
  isWithinOptional: boolean,
): readonly Omit<FieldAtPath, "isAdded">[] {
  return Object.entries(record).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isOptional = isWithinOptional || field.optional;
    const { type } = field;
    const inner =
      type.kind === "record"
        ? pathsIn(type.record, `${path}.`, isOptional)
        : type.kind === "list"
          ? pathsIn(type.record, `${path}.0.`, isOptional)
          : [];
    return [{ path, field, isOptional }, ...inner];
  });
}
