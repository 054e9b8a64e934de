import type { Page } from "../../../client/page.ts";
import { fieldPaths, type Endpoint, type RowShape } from "../../../api/endpoint.ts";
import { fieldAt, valueAt, splitPath, listOf } from "../../../api/record.ts";
import { invalidInput } from "../../../base/failure.ts";
import { listNameOf } from "../../../api/reply.ts";
import { tokenAmounts } from "../../../api/endpoints/pool-transactions.ts";
import { nearest } from "../../../base/text/nearest.ts";
import type { Renderer } from "../renderer.ts";

type Shown = Pick<Page, "rows" | "as">;
type Known = Pick<RowShape, "record" | "added">;

/**
 * Accepts unknown fields, because the service may add new ones, but reports those missing from every row. Without this
 * check, a typo in a field name would look like a null value.
 */
export function watchFields(fields: readonly string[] | undefined, shapes: readonly Known[]) {
  const unknown = (fields ?? []).filter(
    (field) => !shapes.some((shape) => isNamed(shape, field) && !isUndocumented(shape, field)),
  );
  const pending = new Map(unknown.map((field) => [field, splitPath(field)] as const));
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

/**
 * Throws a usage failure for a field that no response can contain, and for an unknown one that is close to a known one.
 * Other unknown fields are accepted, because the service may add some. `shapes` has one shape for each kind of row.
 */
export function checkFields(fields: readonly string[] | undefined, shapes: readonly RowShape[]): void {
  for (const field of fields ?? []) {
    const [first = ""] = splitPath(field);
    if (shapes.some((shape) => isNamed(shape, field) || Object.hasOwn(shape.ofMany?.record ?? {}, first)))
      continue;
    const isImpossible = shapes.every(
      ({ isComplete, record, added }) =>
        isComplete === true && !Object.hasOwn({ ...record, ...added?.record }, first),
    );
    const near = nearField(field, shapes);
    if (!isImpossible && near === undefined) continue;
    const [shape, ...others] = shapes;
    const isComputed = shape?.name === "transaction" && Object.hasOwn(tokenAmounts, first);
    const meant = near === undefined ? listFields : `did you mean ${near}?`;
    throw invalidInput(
      `--fields "${field}"`,
      `a ${shape === undefined || others.length > 0 ? "result" : shape.name.replace("-", " ")} does not have this field`,
      isComputed ? "add --amounts tokens" : meant,
    );
  }
}

/** The same thing is called `id` in some rows and `address` in others. */
const identifiers = ["id", "address"];

function nearField(field: string, shapes: readonly RowShape[]): string | undefined {
  const ofAssets = shapes.find(({ identity }) => identity.includes("chain"));
  const other = identifiers.find((name) => name !== field && ofAssets?.identity.includes(name));
  if (identifiers.includes(field) && other !== undefined) return other;
  const known = shapes.flatMap((shape) => fieldPaths(shape).map(({ path }) => path));
  const steps = splitPath(field);
  const [parent, last = ""] = [steps.slice(0, -1).join("."), steps.at(-1)];
  if (parent === "" || !shapes.some((shape) => isNamed(shape, parent))) return nearestPath(field, known);
  // The names within the same object. A complete path resembles others by its beginning alone.
  const prefix = `${withoutIndices(parent)}.`;
  const near = nearest(
    last,
    known.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)),
  );
  return near === undefined ? undefined : `${parent}.${near}`;
}

/** Describes responses that are printed unchanged. The rows are either in a list or the response itself. */
export function answerShapes({ reply, rows }: Endpoint): readonly Known[] {
  return Object.entries(rows).map(([group, { record }]) => {
    const list = listNameOf(reply, group);
    return { record: list === undefined ? record : { [list]: listOf(record) } };
  });
}

/** In an array, fields are selected from each element, as `render/` does for documents. */
function valuesOf({ rows, as }: Shown): readonly unknown[] {
  if (as === "rows") return rows.values();
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

function isNamed({ record, added }: Known, field: string): boolean {
  return fieldAt({ ...record, ...added?.record }, splitPath(field)) !== undefined;
}

/** Whether the field is in an object of any form, and not one of the members that are known. */
function isUndocumented(shape: Known, field: string): boolean {
  const parent = fieldAt({ ...shape.record, ...shape.added?.record }, splitPath(field).slice(0, -1));
  return parent?.type.kind === "any" && !fieldPaths(shape).some(({ path }) => path === field);
}

/**
 * A single name is first looked up as the start of a field, then as the end of a path, and then as the end of a field. For
 * a path, complete paths are compared first. Array indices remain as typed.
 */
export function nearestPath(field: string, known: readonly string[]): string | undefined {
  const typed = splitPath(field);
  const normal = withoutIndices(field);
  const last = typed.at(-1) ?? "";
  const sameName =
    known.find((path) => path.startsWith(`${field}_`)) ??
    known.find((path) => splitPath(path).at(-1) === last) ??
    known.find((path) => path.endsWith(`_${field}`));
  const found =
    typed.length === 1 ? (sameName ?? nearest(normal, known)) : (nearest(normal, known) ?? sameName);
  return found
    ?.split(".")
    .map((step, index) => (step === "0" && isIndex(typed[index] ?? "") ? typed[index] : step))
    .join(".");
}

function withoutIndices(path: string): string {
  return splitPath(path)
    .map((step) => (isIndex(step) ? "0" : step))
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
