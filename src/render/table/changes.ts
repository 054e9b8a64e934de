import { isObject } from "../../json/own-member.ts";
import type { CellStyle } from "../values/cell.ts";
import { columnCell, type TableColumn } from "./columns.ts";
import type { RecordPart } from "./record-parts.ts";

/** Colours do not reach everybody: `+` stands before a row that is new, `*` before one that has changed. */
const markColumn: TableColumn = {
  title: " ",
  priority: -1,
  paths: [["+"], ["*"]],
  kind: "mark",
  isWhole: true,
  mayBeDigits: false,
  isAsked: true,
};

/** A table whose rows are compared with those that stood there before. */
export interface MarkedTable {
  readonly columns: readonly TableColumn[];
  readonly style: CellStyle;
  /** The row as the columns above take it; `before` is undefined for a new one. */
  readonly mark: (row: unknown, before: unknown) => unknown;
}

export function createMarkedTable(columns: readonly TableColumn[], style: CellStyle): MarkedTable {
  const before = new WeakMap<object, unknown>();
  const hasChanged = (row: unknown, earlier: unknown): boolean =>
    columns.some((column) => columnCell(row, column, style).text !== columnCell(earlier, column, style).text);
  return {
    columns: [markColumn, ...columns],
    style: { ...style, rowBefore: (row) => (isObject(row) ? before.get(row) : undefined) },
    mark: (row, earlier) => {
      const sign = earlier === undefined ? "+" : hasChanged(row, earlier) ? "*" : undefined;
      const marked = { ...(isObject(row) && row), ...(sign !== undefined && { [sign]: true }) };
      if (earlier !== undefined) before.set(marked, earlier);
      return marked;
    },
  };
}

/** The parts of a record, marked where they differ from those it had before. */
export function markParts(
  parts: readonly RecordPart[],
  before: readonly RecordPart[],
): readonly MarkedPart[] {
  const values = new Map(before.flatMap((part) => (part.kind === "value" ? [[part.name, part.cell]] : [])));
  const tables = before.filter((part) => part.kind === "table");
  let table = 0;
  return parts.map((part) => {
    if (part.kind === "value") {
      const earlier = values.get(part.name);
      if (earlier === undefined || earlier.text === part.cell.text) return part;
      return { ...part, cell: { text: `${part.cell.text} *`, tone: "changed" } };
    }
    const rows = tables[table]?.rows ?? [];
    table += 1;
    return { ...part, rowBefore: (row) => rows[part.rows.findIndex((each) => each === row)] };
  });
}

export type MarkedPart = RecordPart & Pick<CellStyle, "rowBefore">;
