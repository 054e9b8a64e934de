import type { Paint } from "../painter.ts";
import { blank, type Cell } from "../values/cell.ts";
import { cutText, padding } from "../values/width.ts";
import { GAP } from "./fit-columns.ts";

export interface DrawnColumn {
  readonly title: string;
  readonly width: number;
  readonly isRight: boolean;
  readonly isWhole: boolean;
  readonly cutMark: string;
}

type TableRow = readonly (Cell | undefined)[];

export type DrawRows = (
  columns: readonly DrawnColumn[],
  rows: readonly TableRow[],
  paint: Paint,
  hasHeader: boolean,
) => string;

/** Draws the few rows inside a record. Loading cli-table3 would take up most of such a short run. */
export const drawLines: DrawRows = (columns, rows, paint, hasHeader) =>
  writeLines(columns, fitRows(columns, rows, hasHeader), paint);

export function fitRows(
  columns: readonly DrawnColumn[],
  rows: readonly TableRow[],
  hasHeader: boolean,
): readonly (readonly Cell[])[] {
  const titles = columns.map(({ title }): Cell => ({ text: title, tone: "heading" }));
  return (hasHeader ? [titles, ...rows] : rows).map((row) =>
    columns.map(({ width, isWhole, cutMark }, index) => {
      const cell = row[index] ?? blank;
      return isWhole ? cell : { text: cutText(cell.text, width, cutMark), tone: cell.tone };
    }),
  );
}

export function writeLines(
  columns: readonly DrawnColumn[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  return rows
    .map((row) => {
      // Repeated concatenation would allocate an intermediate string for each column.
      const parts = columns.map(({ width, isRight }, index) => {
        const { text, tone } = row[index] ?? blank;
        const painted = paint(text, tone);
        return isRight ? padding(text, width) + painted : painted + padding(text, width);
      });
      return `${withoutTrailingBlanks(parts.join(between))}\n`;
    })
    .join("");
}

export const between = " ".repeat(GAP);

/** The pattern ` +$` takes quadratic time on long runs of spaces inside a line. */
export function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line.charCodeAt(end - 1) === 32) end--;
  return line.slice(0, end);
}
