import type { Output } from "../../../base/context/context.ts";
import { type Cell, isNumeric } from "../values/cell.ts";
import { textWidth } from "../values/width.ts";
import type { TableColumn } from "./columns.ts";
import { shortWidth } from "../../../client/subject.ts";

export const GAP = 2;

/** Undefined means no limit. A terminal that does not know its width reports 0. */
export function roomOf(output: Output): number | undefined {
  return output.columns === 0 ? undefined : output.columns;
}

export type MeasuredColumn = ReturnType<typeof measureColumn>;

/**
 * Takes steps in a fixed order until one does not fit, so a wider terminal never shows fewer columns. An address is
 * there in short form from the start, and complete when its priority is reached. Spare width goes to truncated columns,
 * the narrowest first, so that a long name does not take all the space, and then to addresses.
 */
export function fitColumns(
  columns: readonly MeasuredColumn[],
  room: number | undefined,
): ReadonlyMap<MeasuredColumn, number> {
  if (room === undefined) return new Map(columns.map((each) => [each, each.natural]));
  const widths = new Map<MeasuredColumn, number>();
  let left = room + GAP;
  const take = (column: MeasuredColumn, width: number): boolean => {
    const before = widths.get(column) ?? -GAP;
    if (width - before > left) return false;
    left -= Math.max(0, width - before);
    widths.set(column, Math.max(before, width));
    return true;
  };
  steps(columns).every(({ column, width }) => take(column, width));
  for (let isWidened = true; isWidened;) {
    const cut = [...widths].filter(([{ natural, wholes }, width]) => wholes.length === 0 && width < natural);
    const [narrowest] = cut.toSorted(([, one], [, other]) => one - other);
    isWidened = narrowest !== undefined && take(narrowest[0], narrowest[1] + 1);
  }
  for (const column of widths.keys()) for (const width of column.wholes) take(column, width);
  return widths;
}

/** In order of importance: each column, and later each shortened column in full length. Long values come last. */
function steps(columns: readonly MeasuredColumn[]) {
  const present = columns.map((column) => ({
    column,
    width: column.least,
    priority: column.isBulky ? Infinity : column.presence,
  }));
  const whole = columns.flatMap((column) => {
    // A column whose short form already has its place comes last in full.
    const priority = column.column.priority > column.presence ? column.column.priority : Infinity;
    return column.wholes.map((width) => ({ column, width, priority }));
  });
  return [...present, ...whole].toSorted((a, b) => a.priority - b.priority);
}

/** A token name can have any length. Columns that the user requested get more room. */
const LONGEST_WORD = 40;
const LONGEST_ASKED = 200;
/** A shorter part of a name would not identify it. */
const SHORTEST_WORD = 10;
/** A complete value wider than this is an address, a transaction or a very long number. */
export const BULKY = 24;
/** Typical widths, so that the first page rarely sets a width that is too small for later rows. */
const USUAL: ReadonlyMap<string, number> = new Map([
  ["amount", 5],
  ["change", 7],
  // A shortened one, which may follow a short label in the same column.
  ["address", 11],
]);

/** Widths are in terminal columns. `least` is the width in the part of the table already drawn, or 0. */
export function measureColumn(column: TableColumn, cells: readonly Cell[], least: number) {
  const { kind, isAsked } = column;
  const filled = cells.filter(({ text }) => text !== "");
  const isRight =
    isNumeric(kind) ||
    (column.mayBeDigits && filled.length > 0 && filled.every(({ text }) => DIGITS.test(text)));
  const isWhole =
    column.isWhole || isRight || (kind === "unknown" && filled.some(({ text }) => ADDRESS.test(text)));
  const title = textWidth(column.title);
  const usual = filled.length > 0 ? (USUAL.get(kind) ?? 0) : 0;
  const widest = cells.reduce(
    (width, { text }) => Math.max(width, textWidth(text)),
    Math.max(title, least, usual),
  );
  const longest = Math.max(title, isAsked ? LONGEST_ASKED : LONGEST_WORD);
  const natural = isWhole ? widest : Math.min(widest, longest);
  const lengths = filled.map(({ text }) => textWidth(text));
  const long = isWhole && !isRight && !isAsked ? lengths.filter((length) => length > BULKY) : [];
  const short = lengths.filter((length) => length <= BULKY);
  const isShortened = long.length > 0;
  return {
    column,
    cells,
    // A column that was already shown stays, even if these rows have no value for it.
    hasValue: filled.length > 0 || least > 0,
    isRight,
    isWhole,
    /** The width at which no cell is truncated. */
    natural,
    /** Below this width, the column is hidden. Equal to `natural` if cells must not be truncated. */
    least: leastWidth(),
    /** Widths at which more of the shortened cells are complete. Empty if no cell is shortened. */
    wholes: [...new Set(long)].toSorted((a, b) => a - b),
    /** The row's own address is always there, in short form. */
    presence: isShortened ? (column.presence ?? column.priority) : column.priority,
    /** If a column of long values does not fit, later columns may still be shown. */
    isBulky: isWhole && !isRight && natural > BULKY && !isShortened,
  };

  function leastWidth(): number {
    if (isShortened) return Math.max(title, shortWidth, least, ...short);
    return isWhole ? natural : Math.min(natural, Math.max(title, SHORTEST_WORD));
  }
}

const DIGITS = /^-?\d+(?:\.\d+)?$/;
/** Long text without spaces, which could not be copied if it were truncated. */
const ADDRESS = /^[0-9A-Za-z]{26,}$/;
