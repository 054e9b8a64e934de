import type { Paint } from "../painter.ts";
import { blank, type Cell } from "../values/cell.ts";
import { padding } from "../values/width.ts";
import { GAP } from "./fit-columns.ts";

export interface DrawnColumn {
  readonly width: number;
  readonly isRight: boolean;
}

/** Each row has one cell per column, and no cell is wider than its column. */
export type DrawRows = (
  columns: readonly DrawnColumn[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
) => string;

/** The last column may be wider than planned, because nothing follows it. */
export const writeLines: DrawRows = (columns, rows, paint) =>
  rows
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

export const between = " ".repeat(GAP);

/** The pattern ` +$` takes quadratic time on long runs of spaces inside a line. */
export function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line.charCodeAt(end - 1) === 32) end--;
  return line.slice(0, end);
}
