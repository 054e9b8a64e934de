import type { Column, RowShape } from "../../contract/endpoint.ts";
import { type Failure, invalidInput, usageFailure } from "../../contract/failure.ts";
import { choiceFailure } from "../../contract/read-param.ts";
import { nearest } from "../../text/nearest.ts";

/** The columns of an endpoint's table from left to right; with `--columns` only those, in the order of the flag. */
export function chooseColumns(shape: RowShape, names: readonly string[] | undefined): readonly Column[] {
  const all = [...shape.columns, ...(shape.added?.columns ?? [])];
  if (names === undefined) return all;
  return names.flatMap((name) => all.find((column) => isNamed(column, name)) ?? []);
}

/** The rows of each table that is shown, by the name of their group. */
type Tables = ReadonlyMap<string, RowShape>;

/** Rejects a name that one of the tables has no column for, and lists its columns. */
export function checkColumns(tables: Tables, names: readonly string[]): void {
  const typed = `--columns "${names.join(",")}"`;
  for (const [group, shape] of tables) {
    if (columnWords(shape).length === 0)
      throw usageFailure(`${typed}: the output has no table`, "omit --columns");
    const unknown = names.find((name) => !hasColumn(shape, name));
    if (unknown !== undefined) throw unknownColumn(tables, group, unknown, names);
    const chosen = chooseColumns(shape, names);
    const repeated = chosen.find((column, index) => chosen.indexOf(column) !== index);
    if (repeated !== undefined) throw invalidInput(typed, `must not list ${wordOf(repeated.title)} twice`);
  }
}

/** With several tables, the error names those without the column, and how to show the others only. */
function unknownColumn(tables: Tables, group: string, unknown: string, names: readonly string[]): Failure {
  const label = `--columns "${unknown}"`;
  const accepted = columnWords(tables.get(group));
  if (tables.size === 1) return choiceFailure(label, unknown, accepted);
  const groups = [...tables.keys()];
  const having = (wanted: readonly string[]): readonly string[] =>
    groups.filter((each) => wanted.every((name) => hasColumn(tables.get(each), name)));
  const withIt = having([unknown]);
  const lacking = groups.filter((each) => !withIt.includes(each)).join(" and ");
  const whole = having(names);
  const narrower = whole.length > 0 ? whole : withIt;
  const near = nearest(unknown, [...tables.values()].flatMap(columnWords));
  const correction = near === undefined ? undefined : `did you mean ${near}?`;
  return invalidInput(
    label,
    `unknown column for ${lacking}; columns for ${group}: ${accepted.join(", ")}`,
    narrower.length > 0 ? `to search only these: dexdata search … --type ${narrower.join(",")}` : correction,
  );
}

function hasColumn(shape: RowShape | undefined, name: string): boolean {
  return shape !== undefined && chooseColumns(shape, [name]).length > 0;
}

function columnWords(shape: RowShape | undefined): readonly string[] {
  return shape === undefined ? [] : chooseColumns(shape, undefined).map(({ title }) => wordOf(title));
}

/** By its title or its field, in any letter case, with `-`, `_` or a space between words. */
function isNamed({ title, field }: Column, name: string): boolean {
  const fields = typeof field === "string" ? [field] : field;
  return [title, ...fields].some((each) => wordOf(each) === wordOf(name));
}

/** `price USD` → `price-usd`: a shell keeps it as one word. */
function wordOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_()-]+/gu, "-")
    .replace(/-$/u, "");
}
