import { compileRowCheck } from "../../api/row-check.ts";
import { numberOrText, type RecordShape } from "../../api/record.ts";
import type { Row, Values } from "./row.ts";
import type { RowKind } from "./row-kind.ts";
import type { Mismatch } from "../verify-rules.ts";

/** In csv and tsv, values have no types. In Parquet, values that do not fit their column are null. */
export type RowForm = "json" | "text" | "parquet";

/**
 * Returns the contract of the rows of one file, and a check for R1. `--fields` selects the same fields for all rows, so
 * that those absent from the first row may be absent. R4 checks the time.
 */
export function createTypeCheck({ shape: { record, added }, timeField }: RowKind, first: Row, form: RowForm) {
  const all: RecordShape = { ...record, ...added?.record };
  const shape: RecordShape = Object.fromEntries(
    Object.entries(all).flatMap(([name, field]) => {
      if (name === timeField) return [];
      const isOptional = field.optional || form !== "json" || first.text(name) === undefined;
      const isNullable = field.nullable || added?.nulls.includes(name) === true;
      // Canonical rows have decimals as text.
      const type = form === "parquet" && field.isRaw ? numberOrText.type : field.type;
      return [[name, { ...field, type, optional: isOptional, nullable: isNullable }] as const];
    }),
  );
  const problemOf = compileRowCheck(shape);
  return {
    shape,
    mismatch: (row: Row): Mismatch | undefined => {
      const { line, values } = row;
      const problem = values && problemOf(form === "text" ? withTypes(values, shape) : values);
      if (problem === undefined) return undefined;
      const [, field = "", expected = ""] =
        /^([^:]*): (?:invalid input: )?(?:expected )?([^,]*)/iu.exec(problem) ?? [];
      return { line, field, expected, found: row.text(field.split(".")[0] ?? "") ?? "no value" };
    },
  };
}

/** A cell that is not a value of its field's type remains text, so that the check fails. */
function withTypes(cells: Values, shape: RecordShape): object {
  return Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => {
      const kind = shape[name]?.type.kind;
      const isJson = /^(?:true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/u.test(String(cell));
      const isTyped = kind === "number" || kind === "integer" || kind === "boolean";
      if (kind === "record" || kind === "list") return [name, undefined];
      return [name, isTyped && isJson ? (JSON.parse(String(cell)) as unknown) : cell];
    }),
  );
}
