import CliTable from "cli-table3";
import type { Cell } from "../values/cell.ts";
import {
  between,
  type DrawnColumn,
  type DrawRows,
  fitRows,
  headOf,
  withoutTrailingBlanks,
  writeLines,
} from "./draw-lines.ts";
import type { Paint } from "../painter.ts";
import { isPlain } from "../values/width.ts";

/** cli-table3 takes more than linear time in the rows of one table. */
const LIBRARY_ROWS = 8;

/**
 * Rows as lines. cli-table3 draws the header and the rows below it; the rows that follow go straight to lines of
 * the same widths, and so do all where its measure of a text could differ from ours: it counts single code points.
 */
export const drawRows: DrawRows = (columns, rows, paint, hasHeader) => {
  const fitted = fitRows(columns, rows);
  if (!hasHeader) return writeLines(columns, fitted, paint);
  const head = headOf(columns);
  const first = fitted.slice(0, LIBRARY_ROWS);
  if (![head, ...first].every((row) => row.every(({ text }) => isPlain(text)))) {
    return writeLines(columns, [head, ...fitted], paint);
  }
  const drawn = drawWithLibrary(columns, head, first, paint);
  return drawn + writeLines(columns, fitted.slice(LIBRARY_ROWS), paint);
};

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
