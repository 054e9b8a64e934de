import { grouped } from "../../text/counted.ts";
import { visibleText } from "../../render/sanitise.ts";
import { GAP } from "../../render/table/fit-columns.ts";
import { wrapWords } from "../../render/table/wrap-words.ts";
import { textWidth } from "../../render/values/width.ts";

/** Null is what nobody knows; undefined is left out. */
export type LocalRow = Readonly<Record<string, string | number | null | undefined>>;

const between = " ".repeat(GAP);

interface Room {
  readonly hasHeader: boolean;
  /** Columns of the terminal; undefined where there is no end to them. */
  readonly room: number | undefined;
}

/** Aligned columns. In a narrow window the last ones leave, and what then is the last is broken into lines. */
export function drawLocalTable(rows: readonly LocalRow[], { hasHeader, room = Infinity }: Room): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => shown(row[name])));
  const lines = hasHeader ? [names.map((name) => name.toUpperCase()), ...cells] : cells;
  const widths = names.map((_, column) => Math.max(...lines.map((line) => textWidth(line[column] ?? ""))));
  const kept = widths.slice(0, fitting(widths, room));
  return lines.map((line) => `${drawLine(line, kept, room)}\n`).join("");
}

function shown(value: LocalRow[string]): string {
  if (value === null) return "unknown";
  return typeof value === "number" ? grouped(String(value)) : visibleText(value ?? "");
}

/** Lines of fewer columns are hard to read. */
const SHORTEST_LINE = 12;

/** How many columns fit, the last of them in lines; a name without its value says nothing, so it is no fewer than two. */
function fitting(widths: readonly number[], room: number): number {
  const last = widths.findLastIndex((width, column) => {
    const begin = widths.slice(0, column).reduce((sum, each) => sum + each + GAP, 0);
    return begin + Math.min(width, SHORTEST_LINE) <= room;
  });
  return Math.max(2, last + 1);
}

function drawLine(cells: readonly string[], widths: readonly number[], room: number): string {
  const last = widths.length - 1;
  const begin = widths
    .slice(0, last)
    .map((width, column) => padded(cells[column] ?? "", width) + between)
    .join("");
  const text = cells[last] ?? "";
  const beside = wrapWords(text, room - textWidth(begin));
  if (beside.every((line) => textWidth(line) <= room - textWidth(begin)))
    return (begin + beside.join(`\n${" ".repeat(textWidth(begin))}`)).trimEnd();
  // A link or a path is whole where there is more room: below.
  return [begin.trimEnd(), ...wrapWords(text, room - GAP).map((line) => between + line)].join("\n");
}

function padded(text: string, width: number): string {
  return text + " ".repeat(width - textWidth(text));
}
