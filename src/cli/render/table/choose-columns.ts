import type { Column, RowShape } from "../../../api/endpoint.ts";
import { type Failure, invalidInput, usageFailure } from "../../../base/failure.ts";
import { choiceFailure } from "../../../api/read-choice.ts";

export function chooseColumns(shape: RowShape, names: readonly string[] | undefined): readonly Column[] {
  const all = [...shape.columns, ...(shape.added?.columns ?? [])];
  if (names === undefined) return all;
  return names.flatMap((name) => all.find((column) => isNamed(column, name)) ?? []);
}

export const isOfTrade = ({ shows }: Column): boolean =>
  shows !== undefined && shows !== "label" && shows !== "asset";

/** The type and the size of a trade are computed from several fields. No field of the service has them. */
const isComputed = ({ shows }: Column): boolean => shows === "type" || shows === "size";

/** The field that CSV has for this field of a named column: with `--amounts tokens`, the amount in tokens. */
export function namedField({ added }: RowShape, field: string): string {
  const inTokens = `${field}_tokens`;
  return Object.hasOwn(added?.record ?? {}, inTokens) ? inTokens : field;
}

/** The words that `--columns` accepts, each with the fields that CSV has for its column. */
export function namedColumns(
  shape: RowShape,
): readonly { readonly column: string; readonly field: string }[] {
  return chooseColumns(shape, undefined).map((column) => ({
    column: wordOf(column.title),
    field: isComputed(column)
      ? ""
      : [column.field]
          .flat()
          .map((each) => namedField(shape, each))
          .join(","),
  }));
}

type Tables = ReadonlyMap<string, RowShape>;

/** `format` is the output format. */
export function checkColumns(tables: Tables, names: readonly string[], format: string): void {
  const typed = `--columns "${names.join(",")}"`;
  for (const [group, shape] of tables) {
    if (columnWords(shape).length === 0)
      throw usageFailure(`${typed}: the output has no table`, "omit --columns");
    const unknown = names.find((name) => !hasColumn(shape, name));
    if (unknown !== undefined) throw unknownColumn(group, shape, unknown, tables.size > 1);
    const chosen = chooseColumns(shape, names);
    const repeated = chosen.find((column, index) => chosen.indexOf(column) !== index);
    if (repeated !== undefined) {
      // The columns are in the order of their names.
      const [one = "", other = ""] = names.filter((_, index) => chosen[index] === repeated);
      const isSame = wordOf(one) === wordOf(other);
      throw invalidInput(typed, isSame ? `${one} appears twice` : `${one} and ${other} are the same column`);
    }
    const drawn = chosen.find((column) => column.field.length === 0 || isComputed(column));
    if (drawn !== undefined && (format === "csv" || format === "tsv"))
      throw usageFailure(
        `${typed} cannot be used with --output ${format}: ${wordOf(drawn.title)} is not a field of the rows`,
        isComputed(drawn) ? "add --amounts tokens" : `remove ${wordOf(drawn.title)}, or use --output table`,
      );
  }
}

function unknownColumn(group: string, shape: RowShape, name: string, hasOthers: boolean): Failure {
  const accepted = columnWords(shape);
  if (!hasOthers) return choiceFailure(`--columns "${name}"`, name, accepted);
  return invalidInput(
    `--columns "${name}"`,
    `unknown column for ${group}; columns for ${group}: ${accepted.join(", ")}`,
    "to choose columns of one kind: dexdata search … --type <kind>",
  );
}

function hasColumn(shape: RowShape, name: string): boolean {
  return chooseColumns(shape, [name]).length > 0;
}

function columnWords(shape: RowShape): readonly string[] {
  return namedColumns(shape).map(({ column }) => column);
}

/** Matches a title or field name in any letter case, with `-`, `_` or a space between words. */
function isNamed({ title, field }: Column, name: string): boolean {
  const fields = typeof field === "string" ? [field] : field;
  // `24h` is enough for CHANGE 24H.
  const short = title.replace(/^change /u, "");
  return [title, short, ...fields].some((each) => wordOf(each) === wordOf(name));
}

/** Converts `price USD` to `price-usd`, which needs no quotes in a shell. */
function wordOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_()-]+/gu, "-")
    .replace(/-$/u, "");
}
