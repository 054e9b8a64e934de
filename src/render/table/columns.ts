import type { RowShape } from "../../contract/endpoint.ts";
import {
  cellKind,
  changedCell,
  isNumeric,
  showCell,
  type Cell,
  type CellKind,
  type CellStyle,
} from "../values/cell.ts";
import { chooseColumns } from "./choose-columns.ts";
import { splitPath } from "../formats/select-row.ts";
import { fieldAt, valueAt } from "../values/value-at.ts";

/** One column of a table, before it is known how wide it is. */
export interface TableColumn {
  readonly title: string;
  /** The lowest stays longest where the window is narrow. */
  readonly priority: number;
  /** The first of several that a row has. */
  readonly paths: readonly (readonly string[])[];
  readonly kind: CellKind;
  /** Words may be cut to fit. Numbers, times and what names a row are whole or left out. */
  readonly isWhole: boolean;
  /** Not described as a number, but read as one where the rows have numbers: raw token amounts. */
  readonly mayBeDigits: boolean;
  /** Asked for by name: shown though no row has a value. */
  readonly isAsked: boolean;
  /** Drawn from several fields, instead of showing one. */
  readonly draw?: (row: unknown, style: CellStyle) => Cell;
}

/** What decides which columns a table has. */
export interface Choice {
  /** Paths of `--fields`. */
  readonly fields: readonly string[] | undefined;
  /** Names of `--columns`. */
  readonly columns?: readonly string[] | undefined;
  /** What the rows are ordered by. */
  readonly orderedBy?: string | undefined;
  /** Every column, also where no row has a value. */
  readonly isWide?: boolean;
}

/** The columns of an endpoint's table as they are read; what was asked for by name in the order of asking. */
export function tableColumns(shape: RowShape, choice: Choice): readonly TableColumn[] {
  const { fields, columns, orderedBy, isWide = false } = choice;
  if (fields !== undefined)
    return fields.map((field, index) =>
      column(shape, [field], { title: field, priority: index, isAsked: true }),
    );
  const isAsked = columns !== undefined;
  const chosen = chooseColumns(shape, columns);
  const shown = chosen.map(({ field, title, priority }, index) => {
    const paths = typeof field === "string" ? [field] : field;
    const place = { title: title.toUpperCase(), priority: isAsked ? index : priority };
    return column(shape, paths, { ...place, isAsked: isAsked || isWide });
  });
  if (isAsked || orderedBy === undefined) return shown;
  const [ordered] = chooseColumns(shape, [orderedBy]);
  return keepingLonger(shown, ordered === undefined ? -1 : chosen.indexOf(ordered));
}

/** What rows are ordered by stays longer than every other measure, yet not as long as what the rows are about. */
function keepingLonger(columns: readonly TableColumn[], kept: number): readonly TableColumn[] {
  const measures = columns.filter(({ kind }) => isNumeric(kind));
  // Between two columns there is as much room as across-networks.ts leaves.
  const before = Math.min(...measures.map(({ priority }) => priority)) - 0.25;
  return columns.map((each, index) =>
    index === kept ? { ...each, priority: Math.min(each.priority, before) } : each,
  );
}

type Place = Pick<TableColumn, "title" | "priority" | "isAsked">;

function column(shape: RowShape, fields: readonly string[], place: Place): TableColumn {
  const paths = fields.map(splitPath);
  const path = paths[0] ?? [];
  const field = fieldAt({ ...shape.record, ...shape.added?.record }, path);
  const kind = cellKind(path.at(-1) ?? "", field);
  const isIdentity = fields.some((each) => shape.identity.includes(each));
  const isWord = (kind === "text" && field?.type.kind === "text") || kind === "unknown";
  return {
    ...place,
    paths,
    // A candle is told by when it opens, and an age does not tell it.
    kind: kind === "time" && isIdentity ? "text" : kind,
    isWhole: !isWord || isIdentity,
    mayBeDigits:
      kind === "unknown" || field?.type.kind === "number-or-text" || field?.type.kind === "integer",
  };
}

/** The cell of a row; where another stood in its place before, it is marked. */
export function columnCell(row: unknown, shown: TableColumn, style: CellStyle): Cell {
  const cell = cellOf(row, shown, style);
  const before = style.rowBefore?.(row);
  if (before === undefined) return cell;
  return changedCell(cell, cellOf(before, shown, style), shown.kind, {
    value: valueOf(row, shown),
    before: valueOf(before, shown),
  });
}

function cellOf(row: unknown, shown: TableColumn, style: CellStyle): Cell {
  const { paths, kind, draw } = shown;
  if (draw !== undefined) return draw(row, style);
  for (const path of paths) {
    const value = valueAt(row, path);
    if (kind === "mark" && value === true) return { text: path.at(-1) ?? "", tone: "plain" };
    if (value !== undefined && value !== null) return showCell(value, kind, style);
  }
  return showCell(undefined, kind, style);
}

function valueOf(row: unknown, { paths }: TableColumn): unknown {
  return paths.map((path) => valueAt(row, path)).find((value) => value !== undefined && value !== null);
}
