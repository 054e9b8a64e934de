import type { RowShape } from "../../contract/endpoint.ts";
import { parseExact } from "../../json/exact-json.ts";
import { createPathReader } from "../../json/path-reader.ts";
import { splitPath } from "../formats/row-text.ts";
import type { Presentation } from "../renderer.ts";
import {
  type Cell,
  cellKind,
  type CellKind,
  type CellStyle,
  isNumeric,
  plain,
  showCell,
} from "../values/cell.ts";
import { fieldAt, valueAt } from "../values/value-at.ts";
import { chooseColumns } from "./choose-columns.ts";

/** One column of a table, before its width is known. */
export interface TableColumn {
  readonly title: string;
  /** The lowest stays longest where the window is narrow. */
  readonly priority: number;
  /** Alternatives: the first one with a value in the row counts. */
  readonly paths: readonly (readonly string[])[];
  readonly kind: CellKind;
  /** Words may be cut to fit. Numbers, times and what identifies a row are complete or left out. */
  readonly isWhole: boolean;
  /** Read as numbers if the rows have numbers, although not described as such: raw token amounts. */
  readonly mayBeDigits: boolean;
  /** The user named the column, so it is shown even if no row has a value. */
  readonly isAsked: boolean;
  /** Draws several fields instead of showing one. */
  readonly draw?: (row: unknown, style: CellStyle) => Cell;
}

/** A column that is always shown and draws its own cells. */
export function drawnColumn(
  drawn: Pick<TableColumn, "title" | "priority" | "kind"> & Required<Pick<TableColumn, "draw">>,
): TableColumn {
  return { ...drawn, paths: [], isWhole: true, mayBeDigits: false, isAsked: true };
}

/** The parts of a presentation that decide which columns a table has. */
type Choice = Pick<Presentation, "fields" | "columns" | "orderedBy" | "isWide">;

/** The columns of an endpoint's table from left to right; with `--fields` or `--columns` in the order of the flag. */
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

/** The column of the row order stays longer than every other measure, but not longer than what identifies the rows. */
function keepingLonger(columns: readonly TableColumn[], kept: number): readonly TableColumn[] {
  const measures = columns.filter(({ kind }) => isNumeric(kind));
  // The fraction still leaves room for the priorities of across-networks.ts.
  const before = Math.min(...measures.map(({ priority }) => priority)) - 0.25;
  return columns.map((each, index) =>
    index === kept ? { ...each, priority: Math.min(each.priority, before) } : each,
  );
}

function column(
  shape: RowShape,
  fields: readonly string[],
  place: Pick<TableColumn, "title" | "priority" | "isAsked">,
): TableColumn {
  const paths = fields.map(splitPath);
  const path = paths[0] ?? [];
  const field = fieldAt({ ...shape.record, ...shape.added?.record }, path);
  const kind = cellKind(path.at(-1) ?? "", field);
  const isIdentity = fields.some((each) => shape.identity.includes(each));
  const isWord = (kind === "text" && field?.type.kind === "text") || kind === "unknown";
  return {
    ...place,
    paths,
    // A candle is identified by its opening time, which an age does not show.
    kind: kind === "time" && isIdentity ? "text" : kind,
    isWhole: !isWord || isIdentity,
    mayBeDigits:
      kind === "unknown" || field?.type.kind === "number-or-text" || field?.type.kind === "integer",
  };
}

/** The cell of a row. If the cell before was different, it is marked, and so is the direction of a number. */
export function columnCell(row: unknown, shown: TableColumn, style: CellStyle): Cell {
  const cell = cellOf(row, shown, style);
  const before = style.rowBefore?.(row);
  if (before === undefined || shown.kind === "mark") return cell;
  if (cellOf(before, shown, style).text === cell.text) return cell;
  const rise = isNumeric(shown.kind) ? Number(valueOf(row, shown)) - Number(valueOf(before, shown)) : 0;
  return { text: cell.text, tone: rise > 0 ? "risen" : rise < 0 ? "fallen" : "changed" };
}

function cellOf(row: unknown, shown: TableColumn, style: CellStyle): Cell {
  const { paths, kind, draw } = shown;
  if (draw !== undefined) return draw(row, style);
  for (const path of paths) {
    const value = valueAt(row, path);
    if (kind === "mark" && value === true) return plain(path.at(-1) ?? "");
    if (value !== undefined && value !== null) return showCell(value, kind, style);
  }
  return showCell(undefined, kind, style);
}

function valueOf(row: unknown, { paths }: TableColumn): unknown {
  return paths.map((path) => valueAt(row, path)).find((value) => value !== undefined && value !== null);
}

/**
 * Parses rows for these columns: only the members at the start of their paths, since a table does not show most of a
 * long row. A drawn column can read any member.
 */
export function createRowReader(columns: readonly TableColumn[]): (row: string) => unknown {
  const names = [...new Set(columns.flatMap(({ paths }) => paths.map(([name = ""]) => name)))];
  if (names.includes("*") || columns.some(({ draw }) => draw !== undefined)) return parseExact;
  const read = createPathReader(names.map((name) => [name]));
  const keys = names.map((name) => `${JSON.stringify(name)}:`);
  return (row) => {
    const members: string[] = [];
    const texts = read(row);
    for (let index = 0; index < keys.length; index += 1)
      if (texts[index] !== undefined) members.push(`${keys[index]}${texts[index]}`);
    return parseExact(`{${members.join(",")}}`);
  };
}
