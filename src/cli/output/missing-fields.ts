import type { Page } from "../../client/pages/page.ts";
import { type Endpoint, type RowShape, rowShape } from "../../contract/endpoint.ts";
import { fieldPaths } from "../../contract/field-paths.ts";
import { listOf } from "../../contract/record.ts";
import { listNameOf } from "../../contract/reply.ts";
import { nearest } from "../../text/nearest.ts";
import { splitPath } from "../../render/formats/select-row.ts";
import { fieldAt, valueAt } from "../../render/values/value-at.ts";

/** Looks out for fields that were asked for and that no row has: a typing mistake would else pass for null. */
export interface MissingFields {
  readonly see: (page: Shown) => void;
  /** After the last row: a line for each of them. */
  readonly remarks: () => readonly string[];
}

type Shown = Pick<Page, "rows" | "isDocument">;
/** What the contract names of that which fields are selected from. */
type Known = Pick<RowShape, "record" | "added">;

/**
 * Fields that the contract does not name are not refused, since the service may add some; but they are said when no
 * row had them.
 */
export function watchFields(fields: readonly string[] | undefined, shapes: readonly Known[]): MissingFields {
  const isNamed = (field: string): boolean =>
    shapes.some(({ record, added }) => isWithin({ ...record, ...added?.record }, splitPath(field)));
  const pending = new Map(
    (fields ?? []).filter((field) => !isNamed(field)).map((field) => [field, splitPath(field)] as const),
  );
  let hasRows = false;
  return {
    see: (page) => {
      if (pending.size === 0) return;
      const values = valuesOf(page);
      if (values.length === 0) return;
      hasRows = true;
      for (const [field, path] of pending)
        if (values.some((value) => isFound(valueAt(value, path)))) pending.delete(field);
    },
    remarks: () => {
      if (!hasRows) return [];
      const known = shapes.flatMap((shape) => fieldPaths(shape).map(({ path }) => path));
      return [...pending.keys()].map((field) => {
        const problem = `dexdata: --fields ${field}: no row has it`;
        if (known.length === 0) return problem;
        const near = nearestPath(field, known);
        return `${problem}; ${near === undefined ? "see: --fields '?'" : `did you mean ${near}?`}`;
      });
    },
  };
}

/** The same of rows of one kind that are all at hand. */
export function missingFields(
  fields: readonly string[] | undefined,
  endpoint: Endpoint,
  rows: Page["rows"],
): readonly string[] {
  const watch = watchFields(fields, [rowShape(endpoint)]);
  watch.see({ rows });
  return watch.remarks();
}

/** Answers that are shown whole: their rows stand in a list, or are the answer. */
export function answerShapes({ reply, rows }: Endpoint): readonly Known[] {
  return Object.entries(rows).map(([group, { record }]) => {
    const list = listNameOf(reply, group);
    return { record: list === undefined ? record : { [list]: listOf(record) } };
  });
}

/** Of a whole answer fields are selected as the documents of `render/` do: of each element of an array. */
function valuesOf({ rows, isDocument = false }: Shown): readonly unknown[] {
  if (!isDocument) return rows.values();
  return rows.texts().flatMap((text): readonly unknown[] => {
    const answer: unknown = JSON.parse(text);
    return Array.isArray(answer) ? answer : [answer];
  });
}

/** With `*`, a list of nothing is nothing. */
function isFound(value: unknown): boolean {
  if (!Array.isArray(value)) return value !== undefined;
  return value.length === 0 || value.some((each) => each !== null);
}

type Shape = Parameters<typeof fieldAt>[0];

/** What stands in a value of any kind may be anything. */
function isWithin(shape: Shape, path: readonly string[]): boolean {
  return path.some((_, index) => {
    const field = fieldAt(shape, path.slice(0, index + 1));
    return field !== undefined && (index === path.length - 1 || field.type.kind === "any");
  });
}

/** By the whole path, else by its last name. The indices stay as typed. */
function nearestPath(field: string, known: readonly string[]): string | undefined {
  const typed = splitPath(field);
  const normal = typed.map((step) => (isIndex(step) ? "0" : step)).join(".");
  const last = typed.at(-1) ?? "";
  const found = nearest(normal, known) ?? known.find((path) => splitPath(path).at(-1) === last);
  return found
    ?.split(".")
    .map((step, index) => (step === "0" && isIndex(typed[index] ?? "") ? typed[index] : step))
    .join(".");
}

function isIndex(step: string): boolean {
  return step === "*" || /^\d+$/u.test(step);
}
