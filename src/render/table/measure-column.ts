import { isNumeric, type Cell } from "../values/cell.ts";
import type { TableColumn } from "./columns.ts";
import type { ColumnNeed } from "./fit-columns.ts";
import { textWidth } from "../values/width.ts";

export interface MeasuredColumn extends ColumnNeed {
  readonly column: TableColumn;
  readonly cells: readonly Cell[];
  readonly hasValue: boolean;
  /** Digits under digits. */
  readonly isRight: boolean;
  readonly isWhole: boolean;
}

/** Anyone can give a token a name of any length; columns that were asked for get more room. */
const LONGEST_WORD = 40;
const LONGEST_ASKED = 200;
/** Fewer columns of a name do not tell it from another. */
const SHORTEST_WORD = 10;
/** A whole value this wide is an address, a transaction or a number of very many digits. */
const BULKY = 24;
/** What later rows of a kind usually need, so that the first page seldom sets widths too small. */
const USUAL: ReadonlyMap<string, number> = new Map([
  ["amount", 5],
  ["change", 7],
]);

/** `least`: the width the column had in the table above. */
export function measureColumn(column: TableColumn, cells: readonly Cell[], least: number): MeasuredColumn {
  const { kind, title, isAsked, priority } = column;
  const filled = cells.filter(({ text }) => text !== "");
  const isRight =
    isNumeric(kind) ||
    (column.mayBeDigits && filled.length > 0 && filled.every(({ text }) => DIGITS.test(text)));
  const isWhole =
    column.isWhole || isRight || (kind === "unknown" && filled.some(({ text }) => ADDRESS.test(text)));
  const titleWidth = textWidth(title);
  const usual = filled.length > 0 ? (USUAL.get(kind) ?? 0) : 0;
  const widest = cells.reduce(
    (width, { text }) => Math.max(width, textWidth(text)),
    Math.max(titleWidth, least, usual),
  );
  const natural = isWhole
    ? widest
    : Math.min(widest, Math.max(titleWidth, isAsked ? LONGEST_ASKED : LONGEST_WORD));
  return {
    column,
    cells,
    // What stood in the table above stays.
    hasValue: filled.length > 0 || least > 0,
    isRight,
    isWhole,
    priority,
    natural,
    least: isWhole ? natural : Math.min(natural, Math.max(titleWidth, SHORTEST_WORD)),
    isBulky: isWhole && natural > BULKY,
  };
}

const DIGITS = /^-?\d+(?:\.\d+)?$/;
/** Long and without a blank: cut, it could not be pasted. */
const ADDRESS = /^[0-9A-Za-z]{26,}$/;
