import type { Cell, CellStyle } from "../values/cell.ts";
import { columnCell, type TableColumn } from "./columns.ts";
import type { DrawnColumn, DrawRows } from "./table-lines.ts";
import { fitColumns, GAP, measureColumn, type MeasuredColumn } from "./fit-columns.ts";
import type { Paint } from "../painter.ts";
import { textWidth } from "../values/width.ts";

interface SectionOptions {
  readonly columns: readonly TableColumn[];
  readonly drawRows: DrawRows;
  readonly style: CellStyle;
  readonly paint: Paint;
  /** Columns of the terminal; undefined where there is no end to them. */
  readonly room: number | undefined;
  /** Whether titles stand above the columns; they do unless said otherwise. */
  readonly hasHeader?: boolean;
}

/** One table, drawn page by page. */
interface TableSection {
  /** The lines of these rows, the header before the first of them. */
  lines(rows: readonly unknown[]): string;
  /** Columns that found no room, though they were asked for by name or say what the rows are about. */
  leftOut(): readonly string[];
}

/** A column that found its place. */
interface PlacedColumn extends DrawnColumn {
  readonly column: TableColumn;
}

/**
 * The first page fixes columns and widths, so that the time is linear and rows leave as they come. When a later
 * row has an address or number that is wider than that, the table begins anew below, wide enough for it. So it does
 * when the first value of a column comes that took no room until then.
 */
export function createTableSection({
  columns,
  drawRows,
  style,
  paint,
  room,
  hasHeader = true,
}: SectionOptions): TableSection {
  // The empty line sets apart two tables that have titles.
  const anew = hasHeader ? "\n" : "";
  let placed: readonly PlacedColumn[] | undefined;
  let empty = columns;
  // The one that would leave last, had it not been too wide.
  const [subject] = columns.toSorted((a, b) => a.priority - b.priority);

  const begin = (rows: readonly unknown[], candidates: readonly MinimalColumn[]): string => {
    const measured = candidates.map(({ column, width }) =>
      measureColumn(
        column,
        rows.map((row) => columnCell(row, column, style)),
        width,
      ),
    );
    const before = placed;
    placed = place(measured, room, style.isUnicode ? "…" : "...");
    empty = empty.filter((each) => !measured.some(({ column, hasValue }) => column === each && hasValue));
    const cellsByColumn = new Map(measured.map(({ column, cells }) => [column, cells]));
    const shown = placed.map(({ column }) => cellsByColumn.get(column) ?? []);
    const lines = rows.map((_, index) => shown.map((cells) => cells[index]));
    if (before === undefined) return drawRows(placed, lines, paint, hasHeader);
    // A column that came late and finds no room changes nothing.
    return isSame(before, placed)
      ? drawRows(placed, lines, paint, false)
      : anew + drawRows(placed, lines, paint, hasHeader);
  };

  return {
    lines: (rows) => {
      if (rows.length === 0) return "";
      if (placed === undefined)
        return begin(
          rows,
          columns.map((column) => ({ column, width: 0 })),
        );
      const shown = placed;
      const filled = empty.filter((column) => rows.some((row) => columnCell(row, column, style).text !== ""));
      if (filled.some((column) => shown.every((each) => each.column !== column)))
        return begin(rows, inOrder(columns, shown, filled));
      const cells = rows.map((row) => shown.map(({ column }) => columnCell(row, column, style)));
      return cells.every((row) => fits(row, shown, room))
        ? drawRows(shown, cells, paint, false)
        : begin(rows, shown);
    },
    leftOut: () =>
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

/** Those that are shown and those that are to be, as they are read. */
function inOrder(
  columns: readonly TableColumn[],
  shown: readonly MinimalColumn[],
  added: readonly TableColumn[],
): readonly MinimalColumn[] {
  return columns.flatMap((column) => {
    const before = shown.find((each) => each.column === column);
    if (before !== undefined) return [before];
    return added.includes(column) ? [{ column, width: 0 }] : [];
  });
}

/** A column and the least width it had before. */
interface MinimalColumn {
  readonly column: TableColumn;
  readonly width: number;
}

function place(
  measured: readonly MeasuredColumn[],
  room: number | undefined,
  cutMark: string,
): readonly PlacedColumn[] {
  const filled = measured.filter(({ column, hasValue }) => hasValue || column.isAsked);
  const candidates = filled.length > 0 ? filled : measured;
  const widths = fitColumns(candidates, room);
  const placed = candidates.flatMap(({ column, isRight, isWhole }, index): readonly PlacedColumn[] => {
    const width = widths[index] ?? 0;
    return width === 0 ? [] : [{ column, title: column.title, width, isRight, isWhole, cutMark }];
  });
  return placed.length > 0 ? placed : placeOne(candidates, room, cutMark);
}

/** Nothing fits: one column all the same, and the terminal breaks its lines. An address is not cut for it. */
function placeOne(
  candidates: readonly MeasuredColumn[],
  room: number | undefined,
  cutMark: string,
): readonly PlacedColumn[] {
  const only = candidates.find(({ isWhole }) => !isWhole) ?? candidates[0];
  if (only === undefined) return [];
  const { column, isRight, isWhole, natural } = only;
  const width = isWhole ? natural : Math.min(natural, Math.max(1, room ?? natural));
  return [{ column, title: column.title, width, isRight, isWhole, cutMark }];
}

/** Nothing stands after the last column, so that its words may be longer than before as long as the line fits. */
function fits(cells: readonly Cell[], columns: readonly PlacedColumn[], room = Infinity): boolean {
  let before = 0;
  return columns.every(({ isWhole, isRight, width }, index) => {
    const isLast = index === columns.length - 1;
    const most = isLast && !isRight ? Math.max(width, room - before) : width;
    before += width + GAP;
    return !isWhole || textWidth(cells[index]?.text ?? "") <= most;
  });
}
