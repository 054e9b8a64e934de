import type { Column, RowShape } from "../../model/endpoint.ts";
import { usageFailure } from "../../model/failure.ts";
import { choiceFailure } from "../../model/read-param.ts";

/** The columns of an endpoint's table as they are read; with `--columns` those, in the order in which they were named. */
export function chooseColumns(shape: RowShape, names: readonly string[] | undefined): readonly Column[] {
  const all = [...shape.columns, ...(shape.added?.columns ?? [])];
  if (names === undefined) return all;
  return names.flatMap((name) => all.find((column) => isNamed(column, name)) ?? []);
}

/** Refuses a name that no column of these tables has, with those they all have. */
export function checkColumns(shapes: readonly RowShape[], names: readonly string[]): void {
  const typed = `--columns "${names.join(",")}"`;
  for (const shape of shapes) {
    const columns = chooseColumns(shape, undefined);
    if (columns.length === 0) throw usageFailure(`${typed}: what comes has no table`, "leave it out");
    const unknown = names.find((name) => !columns.some((column) => isNamed(column, name)));
    if (unknown !== undefined)
      throw choiceFailure(
        `--columns "${unknown}"`,
        unknown,
        columns.map(({ title }) => wordOf(title)),
      );
    const chosen = chooseColumns(shape, names);
    const repeated = chosen.find((column, index) => chosen.indexOf(column) !== index);
    if (repeated !== undefined) throw usageFailure(`${typed}: names ${wordOf(repeated.title)} twice`);
  }
}

/** By its title or its field, in any letter case, with any of `-`, `_` and a blank between words. */
function isNamed({ title, field }: Column, name: string): boolean {
  const fields = typeof field === "string" ? [field] : field;
  return [title, ...fields].some((each) => wordOf(each) === wordOf(name));
}

/** `price USD` → `price-usd`: nothing that a shell would take apart. */
function wordOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_()-]+/gu, "-")
    .replace(/-$/u, "");
}
