import type { Output } from "../../context/context.ts";
import { type Cell, isNumeric } from "../values/cell.ts";
import { textWidth } from "../values/width.ts";
import type { TableColumn } from "./columns.ts";

export const GAP = 2;

/** Columns of the terminal; undefined means no limit. A terminal that does not know its width reports 0. */
export function roomOf(output: Output): number | undefined {
  return output.columns === 0 ? undefined : output.columns;
}

/** A column with its cells, and its needs in columns of the terminal. */
export interface MeasuredColumn {
  readonly column: TableColumn;
  readonly cells: readonly Cell[];
  readonly hasValue: boolean;
  /** Digits under digits. */
  readonly isRight: boolean;
  readonly isWhole: boolean;
  /** The width at which nothing is cut. */
  readonly natural: number;
  /** The width below which it is left out; the natural one if nothing may be cut. */
  readonly least: number;
  /** An address or another long name: if it does not fit, the columns after it may still stay. */
  readonly isBulky: boolean;
}

type Widths = ReadonlyMap<MeasuredColumn, number>;

/**
 * The widths of the columns that stay. By priority, the first that does not fit ends the table, but a bulky one is only
 * skipped. Spare room goes to the columns that were cut.
 */
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
  // Complete names are worth more than a number at the end.
  const fewer = widen(chosen.slice(0, -1), room);
  const isWorthIt = isCut(widths) && widths.get(last) === last.natural;
  return isWorthIt && !isCut(fewer) ? fewer : widths;
}

/** A table with this many columns gives up none of them for another. */
const FEW = 4;

function isCut(widths: Widths): boolean {
  return [...widths].some(([{ natural }, width]) => width < natural);
}

/** Widens the narrowest first, one column at a time, so that no name starves next to a long one. */
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

/** A token can have a name of any length; columns that the user named get more room. */
const LONGEST_WORD = 40;
const LONGEST_ASKED = 200;
/** A shorter part of a name does not identify it. */
const SHORTEST_WORD = 10;
/** A complete value this wide is an address, a transaction or a number with very many digits. */
const BULKY = 24;
/** The usual width of later rows, so that the first page rarely sets a width too small. */
const USUAL: ReadonlyMap<string, number> = new Map([
  ["amount", 5],
  ["change", 7],
]);

/** `least`: the width the column had in the table above. */
export function measureColumn(column: TableColumn, cells: readonly Cell[], least: number): MeasuredColumn {
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
    // A column of the table above stays.
    hasValue: filled.length > 0 || least > 0,
    isRight,
    isWhole,
    natural,
    least: isWhole ? natural : Math.min(natural, Math.max(title, SHORTEST_WORD)),
    isBulky: isWhole && natural > BULKY,
  };
}

const DIGITS = /^-?\d+(?:\.\d+)?$/;
/** Long and without a space: if it were cut, it could not be pasted. */
const ADDRESS = /^[0-9A-Za-z]{26,}$/;
