import { blank, type Cell } from "../values/cell.ts";
import { GAP } from "./fit-columns.ts";
import type { Paint } from "../painter.ts";
import { cutText, textWidth } from "../values/width.ts";

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

export type Row = readonly (Cell | undefined)[];

/** Rows as lines, the titles before them where they are wanted. */
export type DrawRows = (
  columns: readonly DrawnColumn[],
  rows: readonly Row[],
  paint: Paint,
  hasHeader: boolean,
) => string;

/** The small tables of a record: to load cli-table3 for them would take longer than all of the record. */
export const drawLines: DrawRows = (columns, rows, paint, hasHeader) =>
  writeLines(columns, [...(hasHeader ? [headOf(columns)] : []), ...fitRows(columns, rows)], paint);

export function headOf(columns: readonly DrawnColumn[]): readonly Cell[] {
  return columns.map((column) => fitCell({ text: column.title, tone: "heading" }, column));
}

export function fitRows(columns: readonly DrawnColumn[], rows: readonly Row[]): readonly (readonly Cell[])[] {
  return rows.map((row) => columns.map((column, index) => fitCell(row[index] ?? blank, column)));
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
        const padding = blanks(width - textWidth(text));
        const painted = paint(text, tone);
        return isRight ? padding + painted : painted + padding;
      });
      return `${withoutTrailingBlanks(parts.join(between))}\n`;
    })
    .join("");
}

/** Most columns are narrow, and one text serves all that need as many. */
function blanks(count: number): string {
  return count <= 0 ? "" : (few[count] ??= " ".repeat(count));
}
const few: string[] = [];

/** Between two columns. */
export const between = " ".repeat(GAP);

/** By hand: ` +$` takes quadratic time on long runs of blanks inside a line. */
export function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line.charCodeAt(end - 1) === 32) end--;
  return line.slice(0, end);
}
