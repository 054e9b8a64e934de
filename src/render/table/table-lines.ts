import type { Paint } from "../painter.ts";
import { blank, type Cell } from "../values/cell.ts";
import { cutText, padding } from "../values/width.ts";
import { GAP } from "./fit-columns.ts";

/** One column of a table with its final width. */
export interface DrawnColumn {
  readonly title: string;
  readonly width: number;
  /** Digits under digits. */
  readonly isRight: boolean;
  readonly isWhole: boolean;
  /** The mark at the end of cut words. */
  readonly cutMark: string;
}

type TableRow = readonly (Cell | undefined)[];

/** Draws rows as lines, with the titles above them if `hasHeader`. */
export type DrawRows = (
  columns: readonly DrawnColumn[],
  rows: readonly TableRow[],
  paint: Paint,
  hasHeader: boolean,
) => string;

/** For the few rows inside a record: loading the package that draws lists would take most of a short run. */
export const drawLines: DrawRows = (columns, rows, paint, hasHeader) =>
  writeLines(columns, fitRows(columns, rows, hasHeader), paint);

/** The titles and the rows, with words cut to the widths of their columns. */
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
      // Joined once: concatenation in steps creates one more string to collect at each of them.
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

/** By hand: ` +$` takes quadratic time on long runs of spaces inside a line. */
export function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line.charCodeAt(end - 1) === 32) end--;
  return line.slice(0, end);
}
