import CliTable from "cli-table3";
import { blank, type Cell } from "./cell.ts";
import { GAP } from "./fit-columns.ts";
import type { Paint } from "./painter.ts";
import { cutText, isPlain, textWidth } from "./width.ts";

/** One column of a table whose width is settled. */
export interface DrawnColumn {
  readonly title: string;
  readonly width: number;
  /** Digits under digits. */
  readonly isRight: boolean;
  readonly isWhole: boolean;
  /** Stands where words were cut. */
  readonly cutMark: string;
}

type Row = readonly (Cell | undefined)[];

/** cli-table3 takes more than linear time in the rows of one table. */
const LIBRARY_ROWS = 50;

/**
 * Rows as lines. cli-table3 draws the header and the rows below it; the rows that follow go straight to lines of
 * the same widths, and so do all where its measure of a text could differ from ours: it counts single code points.
 */
export function drawRows(
  columns: readonly DrawnColumn[],
  rows: readonly Row[],
  paint: Paint,
  hasHeader: boolean,
): string {
  const fitted = rows.map((row) => columns.map((column, index) => fitCell(row[index] ?? blank, column)));
  if (!hasHeader) return writeLines(columns, fitted, paint);
  const head = columns.map((column) => fitCell({ text: column.title, tone: "heading" }, column));
  const first = fitted.slice(0, LIBRARY_ROWS);
  if (![head, ...first].every((row) => row.every(({ text }) => isPlain(text)))) {
    return writeLines(columns, [head, ...fitted], paint);
  }
  const drawn = drawWithLibrary(columns, head, first, paint);
  return drawn + writeLines(columns, fitted.slice(LIBRARY_ROWS), paint);
}

function fitCell(cell: Cell, { width, isWhole, cutMark }: DrawnColumn): Cell {
  return isWhole ? cell : { text: cutText(cell.text, width, cutMark), tone: cell.tone };
}

function drawWithLibrary(
  columns: readonly DrawnColumn[],
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  const painted = (row: readonly Cell[]): string[] => row.map(({ text, tone }) => paint(text, tone));
  const table = new CliTable({
    head: painted(head),
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ isRight }) => (isRight ? "right" : "left")),
    chars: BORDERLESS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.map(painted));
  return table
    .toString()
    .split("\n")
    .map((line) => `${withoutTrailingBlanks(line)}\n`)
    .join("");
}

function writeLines(
  columns: readonly DrawnColumn[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  let lines = "";
  for (const row of rows) {
    let line = "";
    for (const [index, { width, isRight }] of columns.entries()) {
      const { text, tone } = row[index] ?? blank;
      const padding = " ".repeat(Math.max(0, width - textWidth(text)));
      const painted = paint(text, tone);
      line += (index === 0 ? "" : between) + (isRight ? padding + painted : painted + padding);
    }
    lines += `${withoutTrailingBlanks(line)}\n`;
  }
  return lines;
}

const between = " ".repeat(GAP);

/** By hand: ` +$` takes quadratic time on long runs of blanks inside a line. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line.charCodeAt(end - 1) === 32) end--;
  return line.slice(0, end);
}

/** Without lines between its rows cli-table3 leaves them out altogether. */
const BORDERLESS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: between,
};
