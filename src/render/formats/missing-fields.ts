import type { Page } from "../../client/pages/page.ts";
import { type Endpoint, type RowShape, rowShape } from "../../contract/endpoint.ts";
import { fieldPaths } from "../../contract/field-paths.ts";
import { invalidInput } from "../../contract/failure.ts";
import { listOf } from "../../contract/record.ts";
import { listNameOf } from "../../contract/reply.ts";
import { nearest } from "../../text/nearest.ts";
import { splitPath } from "./row-text.ts";
import { fieldAt, valueAt } from "../values/value-at.ts";
import type { Renderer } from "../renderer.ts";

export type MissingFields = ReturnType<typeof watchFields>;

type Shown = Pick<Page, "rows" | "isDocument">;
type Known = Pick<RowShape, "record" | "added">;

/**
 * Accepts unknown fields, because the service may add new ones, but reports those missing from every row. Without this
 * check, a typo in a field name would look like a null value.
 */
export function watchFields(fields: readonly string[] | undefined, shapes: readonly Known[]) {
  const isNamed = (field: string): boolean =>
    shapes.some(({ record, added }) => isWithin({ ...record, ...added?.record }, splitPath(field)));
  const pending = new Map(
    (fields ?? []).filter((field) => !isNamed(field)).map((field) => [field, splitPath(field)] as const),
  );
  let hasRows = false;
  return {
    see: (page: Shown): void => {
      if (pending.size === 0) return;
      const values = valuesOf(page);
      if (values.length === 0) return;
      hasRows = true;
      for (const [field, path] of pending)
        if (values.some((value) => isFound(valueAt(value, path)))) pending.delete(field);
    },
    /** Call this after the last row. */
    remarks: (): readonly string[] => {
      if (!hasRows) return [];
      const known = shapes.flatMap((shape) => fieldPaths(shape).map(({ path }) => path));
      return [...pending.keys()].map((field) => {
        const problem = `no row has the field "${field}"`;
        if (known.length === 0) return problem;
        const near = nearestPath(field, known);
        return `${problem}${near === undefined ? ` (${listFields})` : `; did you mean ${near}?`}`;
      });
    },
  };
}

const listFields = "list fields: --fields '?'";

/** Throws a usage failure for a field that no response can contain. */
export function checkFields(fields: readonly string[] | undefined, shape: RowShape): void {
  const names = Object.keys({ ...shape.record, ...shape.added?.record });
  const unknown = fields?.find((field) => !names.includes(splitPath(field)[0] ?? ""));
  if (shape.isComplete !== true || unknown === undefined) return;
  const near = nearestPath(
    unknown,
    fieldPaths(shape).map(({ path }) => path),
  );
  throw invalidInput(
    `--fields "${unknown}"`,
    `a ${shape.name} does not have this field`,
    near === undefined ? listFields : `did you mean ${near}?`,
  );
}

export function missingFields(
  fields: readonly string[] | undefined,
  endpoint: Endpoint,
  rows: Page["rows"],
): readonly string[] {
  const watch = watchFields(fields, [rowShape(endpoint)]);
  watch.see({ rows });
  return watch.remarks();
}

/** Describes responses that are printed unchanged. The rows are either in a list or the response itself. */
export function answerShapes({ reply, rows }: Endpoint): readonly Known[] {
  return Object.entries(rows).map(([group, { record }]) => {
    const list = listNameOf(reply, group);
    return { record: list === undefined ? record : { [list]: listOf(record) } };
  });
}

/** In an array, fields are selected from each element, as `render/` does for documents. */
function valuesOf({ rows, isDocument = false }: Shown): readonly unknown[] {
  if (!isDocument) return rows.values();
  return rows.texts().flatMap((text): readonly unknown[] => {
    const answer: unknown = JSON.parse(text);
    return Array.isArray(answer) ? answer : [answer];
  });
}

/** If the path contains `*`, an empty list counts as found. */
function isFound(value: unknown): boolean {
  if (!Array.isArray(value)) return value !== undefined;
  return value.length === 0 || value.some((each) => each !== null);
}

type Shape = Parameters<typeof fieldAt>[0];

/** A field of kind `any` can contain anything. */
function isWithin(shape: Shape, path: readonly string[]): boolean {
  return path.some((_, index) => {
    const field = fieldAt(shape, path.slice(0, index + 1));
    return field !== undefined && (index === path.length - 1 || field.type.kind === "any");
  });
}

/** A single name is first looked up as the last one of a path. Otherwise, the complete paths are compared first. Array indices remain as typed. */
export function nearestPath(field: string, known: readonly string[]): string | undefined {
  const typed = splitPath(field);
  const normal = typed.map((step) => (isIndex(step) ? "0" : step)).join(".");
  const last = typed.at(-1) ?? "";
  const sameName = known.find((path) => splitPath(path).at(-1) === last);
  const found =
    typed.length === 1 ? (sameName ?? nearest(normal, known)) : (nearest(normal, known) ?? sameName);
  return found
    ?.split(".")
    .map((step, index) => (step === "0" && isIndex(typed[index] ?? "") ? typed[index] : step))
    .join(".");
}

function isIndex(step: string): boolean {
  return step === "*" || /^\d+$/u.test(step);
}

/** Printed even with `--quiet`. */
export function hiddenColumnWarnings(renderer: Renderer): readonly string[] {
  const names = renderer.leftOut?.() ?? [];
  if (names.length === 0) return [];
  return [`terminal too narrow for ${names.join(", ")}; show all columns: -o wide`];
}
