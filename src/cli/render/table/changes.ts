import { isObject } from "../../../base/json/json-scan.ts";
import { alertMark, blank, type Cell, type CellStyle, plain } from "../values/cell.ts";
import { columnCell, drawnColumn, type TableColumn } from "./columns.ts";
import type { RecordPart } from "./record-parts.ts";

export function createMarkedTable(
  columns: readonly TableColumn[],
  style: CellStyle,
  isOn: ((row: unknown) => boolean) | undefined,
) {
  const earlier = new WeakMap<object, unknown>();
  const rowBefore = (row: unknown): unknown => (isObject(row) ? earlier.get(row) : undefined);
  /** `+` for a new row and `*` for a changed one, because not every terminal has color. */
  const signOf = (row: unknown): string => {
    const before = rowBefore(row);
    if (before === undefined) return "+";
    const isChanged = columns.some(
      (column) => columnCell(row, column, style).text !== columnCell(before, column, style).text,
    );
    return isChanged ? "*" : "";
  };
  const sign = drawnColumn({ title: " ", priority: -1, kind: "mark", draw: (row) => plain(signOf(row)) });
  const draw = (row: unknown): Cell =>
    isOn?.(row) === true ? { text: alertMark(style.isUnicode), tone: "down" } : blank;
  const alert = drawnColumn({ title: " ", priority: -2, kind: "mark", draw });
  return {
    columns: [...(isOn === undefined ? [] : [alert]), sign, ...columns],
    style: { ...style, rowBefore },
    /** Not called for a new row. */
    remember: (row: unknown, before: unknown): void => {
      if (isObject(row)) earlier.set(row, before);
    },
  };
}

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
