import type { Output } from "../../context/context.ts";
import { type Cell, isNumeric } from "../values/cell.ts";
import { textWidth } from "../values/width.ts";
import type { TableColumn } from "./columns.ts";

export const GAP = 2;

/** Undefined means no limit. A terminal that does not know its width reports 0. */
export function roomOf(output: Output): number | undefined {
  return output.columns === 0 ? undefined : output.columns;
}

export type MeasuredColumn = ReturnType<typeof measureColumn>;
type Widths = ReadonlyMap<MeasuredColumn, number>;

/** Adds columns by priority until one does not fit, but skips a bulky one. Spare width goes to truncated columns. */
export function fitColumns(columns: readonly MeasuredColumn[], room: number | undefined): Widths {
  if (room === undefined) return new Map(columns.map((each) => [each, each.natural]));
  const chosen: MeasuredColumn[] = [];
  let used = -GAP;
  for (const each of columns.toSorted((a, b) => a.column.priority - b.column.priority)) {
    if (used + GAP + each.least <= room) {
      used += GAP + each.least;
      chosen.push(each);
    } else if (!each.isBulky) break;
  }
  const widths = widen(chosen, room);
  const last = chosen.at(-1);
  if (chosen.length <= FEW || last === undefined || last.isBulky) return widths;
  // Complete names are more useful than one more number at the end.
  const fewer = widen(chosen.slice(0, -1), room);
  const isWorthIt = isCut(widths) && widths.get(last) === last.natural;
  return isWorthIt && !isCut(fewer) ? fewer : widths;
}

/** A table with this many columns or fewer never drops one to make others wider. */
const FEW = 4;

function isCut(widths: Widths): boolean {
  return [...widths].some(([{ natural }, width]) => width < natural);
}

/** Widens the narrowest column first, one position at a time, so that a long name does not take all the space. */
function widen(chosen: readonly MeasuredColumn[], room: number): Widths {
  const widths = new Map(chosen.map((each) => [each, each.least]));
  const used = chosen.reduce((sum, { least }) => sum + GAP + least, -GAP);
  for (let left = room - used; left > 0; left--) {
    const cut = [...widths].filter(([{ natural }, width]) => width < natural);
    const least = Math.min(...cut.map(([, width]) => width));
    const narrowest = cut.find(([, width]) => width === least)?.[0];
    if (narrowest === undefined) break;
    widths.set(narrowest, least + 1);
  }
  return widths;
}

/** A token name can have any length. Columns that the user requested get more room. */
const LONGEST_WORD = 40;
const LONGEST_ASKED = 200;
/** A shorter part of a name would not identify it. */
const SHORTEST_WORD = 10;
/** A complete value wider than this is an address, a transaction or a very long number. */
const BULKY = 24;
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
    least: isWhole ? natural : Math.min(natural, Math.max(title, SHORTEST_WORD)),
    /** If a column of addresses or other long values does not fit, later columns may still be shown. */
    isBulky: isWhole && natural > BULKY,
  };
}

const DIGITS = /^-?\d+(?:\.\d+)?$/;
/** Long text without spaces, which could not be copied if it were truncated. */
const ADDRESS = /^[0-9A-Za-z]{26,}$/;
