import type { Paint } from "../painter.ts";
import { blank, type Cell } from "../values/cell.ts";
import { cutText, textWidth } from "../values/width.ts";
import { GAP } from "./fit-columns.ts";

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

export type TableRow = readonly (Cell | undefined)[];

/** Draws rows as lines, the titles before them where they are wanted. */
export type DrawRows = (
  columns: readonly DrawnColumn[],
  rows: readonly TableRow[],
  paint: Paint,
  hasHeader: boolean,
) => string;

/** The few rows inside a record: to load the package that draws lists takes longer than the rest of a short run. */
export const drawLines: DrawRows = (columns, rows, paint, hasHeader) => {
  const fitted = rows.map((row) => fitRow(columns, row));
  return writeLines(columns, hasHeader ? [titlesOf(columns), ...fitted] : fitted, paint);
};

export function titlesOf(columns: readonly DrawnColumn[]): readonly Cell[] {
  return columns.map((column) => fitCell({ text: column.title, tone: "heading" }, column));
}

export function fitRow(columns: readonly DrawnColumn[], row: TableRow): readonly Cell[] {
  return columns.map((column, index) => fitCell(row[index] ?? blank, column));
}

function fitCell(cell: Cell, { width, isWhole, cutMark }: DrawnColumn): Cell {
  return isWhole ? cell : { text: cutText(cell.text, width, cutMark), tone: cell.tone };
}

export function writeLines(
  columns: readonly DrawnColumn[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  return rows
    .map((row) => {
      // Joined once: a text that is put together in steps leaves one more to collect at each of them.
      const parts = columns.map(({ width, isRight }, index) => {
        const { text, tone } = row[index] ?? blank;
        const padding = " ".repeat(Math.max(0, width - textWidth(text)));
        const painted = paint(text, tone);
        return isRight ? padding + painted : painted + padding;
      });
      return `${withoutTrailingBlanks(parts.join(between))}\n`;
    })
    .join("");
}

/** Between two columns. */
export const between = " ".repeat(GAP);

/** By hand: ` +$` takes quadratic time on long runs of blanks inside a line. */
export function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line.charCodeAt(end - 1) === 32) end--;
  return line.slice(0, end);
}
