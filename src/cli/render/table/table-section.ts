import type { Paint } from "../terminal.ts";
import { blank, type Cell, type CellStyle } from "../values/cell.ts";
import { cutText, ellipsis, isPlain, textWidth, padding } from "../values/width.ts";
import { columnCell, type TableColumn } from "./columns.ts";
import { BULKY, fitColumns, GAP, measureColumn, type MeasuredColumn } from "./fit-columns.ts";
import { shortAddress } from "../../../client/subject.ts";

interface SectionOptions {
  readonly columns: readonly TableColumn[];
  /** Draws the first rows and the header. */
  readonly drawFirst: DrawRows;
  readonly style: CellStyle;
  readonly paint: Paint;
  /** Terminal columns; undefined means no limit. */
  readonly room: number | undefined;
  readonly hasHeader: boolean;
}

interface PlacedColumn extends MeasuredColumn {
  readonly width: number;
}

/**
 * A table drawn page by page. The first page fixes the columns and widths, so that drawing takes linear time. If a
 * later row has a wider address or number, or a hidden empty column gets its first value, a new table starts below.
 */
export function createTableSection(options: SectionOptions) {
  const { columns, drawFirst, style, paint, room, hasHeader } = options;
  let placed: readonly PlacedColumn[] | undefined;
  let empty = columns;
  let isShortened = false;
  const mark = ellipsis(style.isUnicode);
  // The most important column is hidden only if it does not fit at all.
  const [subject] = columns.toSorted((a, b) => a.priority - b.priority);

  const draw = (
    shown: readonly PlacedColumn[],
    rows: readonly (readonly (Cell | undefined)[])[],
    isBegun: boolean,
  ): string => {
    const isHeaded = hasHeader && !isBegun;
    const titles = shown.map(({ column }): Cell => ({ text: column.title, tone: "heading" }));
    const fitted = (isHeaded ? [titles, ...rows] : rows).map((row) =>
      shown.map(({ width, isWhole, wholes }, index) => {
        const cell = row[index] ?? blank;
        if (!isWhole) return { text: cutText(cell.text, width, mark), tone: cell.tone };
        if (wholes.length === 0 || textWidth(cell.text) <= width) return cell;
        isShortened = true;
        const isSimple = isPlain(cell.text) && !cell.text.includes("\\");
        return {
          text: isSimple ? shortAddress(cell.text, mark) : cutText(cell.text, width, mark),
          tone: cell.tone,
        };
      }),
    );
    return isHeaded ? drawFirst(shown, fitted, paint) : writeLines(shown, fitted, paint);
  };

  const begin = (rows: readonly unknown[], candidates: readonly TableColumn[]): string => {
    const before = placed;
    const measured = candidates.map((column) => {
      const cells = rows.map((row) => columnCell(row, column, style));
      return measureColumn(column, cells, before?.find((each) => each.column === column)?.width ?? 0);
    });
    const now = place(measured, room);
    placed = now;
    empty = empty.filter((each) => !measured.some(({ column, hasValue }) => column === each && hasValue));
    const lines = rows.map((_, index) => now.map(({ cells }) => cells[index]));
    // If the new column does not fit, the table stays the same.
    if (before !== undefined && isSame(before, now)) return draw(now, lines, true);
    return (before !== undefined && hasHeader ? "\n" : "") + draw(now, lines, false);
  };

  return {
    /** The first call also returns the header. */
    lines: (rows: readonly unknown[]): string => {
      if (rows.length === 0) return "";
      if (placed === undefined) return begin(rows, columns);
      const before = placed.map(({ column }) => column);
      const isFilled = (column: TableColumn): boolean =>
        empty.includes(column) && rows.some((row) => columnCell(row, column, style).text !== "");
      const shown = columns.filter((column) => before.includes(column) || isFilled(column));
      const cells = rows.map((row) => shown.map((column) => columnCell(row, column, style)));
      const fits = shown.length === before.length && cells.every(fitsInto(placed, room));
      return fits ? draw(placed, cells, true) : begin(rows, shown);
    },
    isShortened: (): boolean => isShortened,
    leftOut: (): readonly string[] =>
      columns
        .filter((each) => each.isAsked || (each === subject && !empty.includes(each)))
        .filter((each) => placed?.some(({ column }) => column === each) === false)
        .map(({ title }) => title),
  };
}

function isSame(before: readonly PlacedColumn[], now: readonly PlacedColumn[]): boolean {
  const isEqual = ({ column, width }: PlacedColumn, index: number): boolean =>
    before[index]?.column === column && before[index].width === width;
  return before.length === now.length && now.every(isEqual);
}

function place(measured: readonly MeasuredColumn[], room: number | undefined): readonly PlacedColumn[] {
  const filled = measured.filter(({ column, hasValue }) => hasValue || column.isAsked);
  const candidates = filled.length > 0 ? filled : measured;
  const widths = fitColumns(candidates, room);
  const fitting = candidates.map((each) => ({ ...each, width: widths.get(each) ?? 0 }));
  const placed = fitting.filter(({ width }) => width > 0);
  const only = candidates.find(({ isWhole }) => !isWhole) ?? candidates[0];
  if (placed.length > 0 || only === undefined) return placed;
  // If nothing fits, show one column and let the terminal wrap its lines. An address is not truncated.
  return [{ ...only, width: only.isWhole ? only.natural : Math.min(only.natural, Math.max(1, room ?? 1)) }];
}

/** Text in the last column may be wider than before if the line still fits, because no column follows. */
function fitsInto(columns: readonly PlacedColumn[], room = Infinity): (cells: readonly Cell[]) => boolean {
  const limits = columns.map(({ isWhole, isRight, width }, index) => {
    if (!isWhole) return Infinity;
    if (isRight || index < columns.length - 1) return width;
    return Math.max(width, room - columns.slice(0, -1).reduce((sum, each) => sum + each.width + GAP, 0));
  });
  return (cells) =>
    limits.every((limit, index) => {
      if (limit === Infinity) return true;
      const length = textWidth(cells[index]?.text ?? "");
      return length <= limit || (length > BULKY && columns[index]?.wholes.length !== 0);
    });
}

interface DrawnColumn {
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
