import { grouped, wrapWords } from "../../../base/text/words.ts";
import type { LocalLook, LocalRow } from "../renderer.ts";
import { visibleText } from "../../../base/text/unsafe-text.ts";
import { padding, textWidth } from "../values/width.ts";
import { GAP } from "./fit-columns.ts";

/** On a narrow terminal, the last columns are hidden, except the first `least`, and the last visible one is wrapped. */
export function drawLocalTable(
  rows: readonly LocalRow[],
  { hasHeader, room = Infinity }: Pick<LocalLook, "hasHeader" | "room">,
  least = 2,
): string {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return "";
  const cells = rows.map((row) => names.map((name) => shown(row[name])));
  const lines = hasHeader ? [names.map((name) => name.toUpperCase().replaceAll("_", " ")), ...cells] : cells;
  const widths = names.map((_, column) => Math.max(...lines.map((line) => textWidth(line[column] ?? ""))));
  const isRight = names.map((_, column) => hasHeader && cells.every((row) => NUMBER.test(row[column] ?? "")));
  const align = (text: string, column: number): string =>
    (isRight[column] === true ? padding(text, widths[column] ?? 0) : "") + text;
  const kept = widths.slice(0, fitting(widths, room, least));
  return lines.map((line) => `${drawLine(line.map(align), kept, room)}\n`).join("");
}

/** Also matches short forms, such as `12.4M` and `0.0₉1234`, and an empty cell. */
const NUMBER = /^(?:[\d,.\u2080-\u2089]+[KMBT]?)?$/u;

function shown(value: LocalRow[string]): string {
  if (value === null) return "unknown";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? grouped(String(value)) : visibleText(value ?? "");
}

/** Shorter lines are hard to read. */
const SHORTEST_LINE = 12;

function fitting(widths: readonly number[], room: number, least: number): number {
  const last = widths.findLastIndex((width, column) => {
    const begin = widths.slice(0, column).reduce((sum, each) => sum + each + GAP, 0);
    return begin + Math.min(width, SHORTEST_LINE) <= room;
  });
  return Math.max(least, last + 1);
}

function drawLine(cells: readonly string[], widths: readonly number[], room: number): string {
  const leading = cells.slice(0, widths.length - 1);
  const begin = leading.map((text, column) => text + padding(text, (widths[column] ?? 0) + GAP)).join("");
  const indent = textWidth(begin);
  const text = cells[leading.length] ?? "";
  const pieces = wrapWords(text, room - indent, textWidth);
  if (pieces.every((piece) => textWidth(piece) <= room - indent))
    return (begin + pieces.join(`\n${" ".repeat(indent)}`)).trimEnd();
  // A separate line below has more room for a link or a path, which must not be broken.
  const below = wrapWords(text, room - GAP, textWidth);
  return [begin.trimEnd(), ...below.map((piece) => " ".repeat(GAP) + piece)].join("\n");
}
