import type { RowShape } from "../model/endpoint.ts";
import { cellKind, showCell, type Cell, type CellKind, type CellStyle } from "./cell.ts";
import { splitPath } from "./select-row.ts";
import { fieldAt, valueAt } from "./value-at.ts";

/** One column of a table, before it is known how wide it is. */
export interface TableColumn {
  readonly title: string;
  /** The first of several that a row has. */
  readonly paths: readonly (readonly string[])[];
  readonly kind: CellKind;
  /** Words may be cut to fit. Numbers, times and what names a row are whole or left out. */
  readonly isWhole: boolean;
  /** Not described as a number, but read as one where the rows have numbers: raw token amounts. */
  readonly mayBeDigits: boolean;
  /** Asked for by name: shown though no row has a value. */
  readonly isAsked: boolean;
}

/** The columns of an endpoint's table, most important first; with `--fields` those, in that order. */
export function tableColumns(shape: RowShape, fields: readonly string[] | undefined): readonly TableColumn[] {
  if (fields !== undefined) return fields.map((field) => column(shape, [field], field, true));
  return [...shape.columns, ...(shape.added?.columns ?? [])].map(({ field, title }) => {
    const paths = typeof field === "string" ? [field] : field;
    return column(shape, paths, title.toUpperCase(), false);
  });
}

function column(shape: RowShape, fields: readonly string[], title: string, isAsked: boolean): TableColumn {
  const paths = fields.map(splitPath);
  const path = paths[0] ?? [];
  const field = fieldAt({ ...shape.record, ...shape.added?.record }, path);
  const kind = cellKind(path.at(-1) ?? "", field);
  const isIdentity = fields.some((each) => shape.identity.includes(each));
  const isWord = (kind === "text" && field?.type.kind === "text") || kind === "unknown";
  return {
    title,
    paths,
    // A candle is told by when it opens, and an age does not tell it.
    kind: kind === "time" && isIdentity ? "text" : kind,
    isWhole: !isWord || isIdentity,
    mayBeDigits: kind === "unknown" || field?.type.kind === "number-or-text",
    isAsked,
  };
}

export function columnCell(row: unknown, { paths, kind }: TableColumn, style: CellStyle): Cell {
  for (const path of paths) {
    const value = valueAt(row, path);
    if (kind === "mark" && value === true) return { text: path.at(-1) ?? "", tone: "plain" };
    if (value !== undefined && value !== null) return showCell(value, kind, style);
  }
  return showCell(undefined, kind, style);
}
