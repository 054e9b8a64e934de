import type { Output } from "../../context/context.ts";

/** What a column needs, in columns of the terminal. */
export interface ColumnNeed {
  /** The lowest stays longest. */
  readonly priority: number;
  /** The width at which nothing is cut. */
  readonly natural: number;
  /** The width below which it is left out; the natural one where nothing may be cut. */
  readonly least: number;
  /** An address or another long name: others may stay when this one does not fit. */
  readonly isBulky: boolean;
}

export const GAP = 2;

/** Columns of the terminal; undefined where there is no end to them. A terminal that does not know says 0. */
export function roomOf(output: Output): number | undefined {
  return output.columns === 0 ? undefined : output.columns;
}

/**
 * The width of each column, 0 for one that is left out. By priority the first that does not fit ends the table, but a
 * bulky one only steps aside. Room that is left goes to the columns that were cut.
 */
export function fitColumns(needs: readonly ColumnNeed[], room: number | undefined): readonly number[] {
  if (room === undefined) return needs.map(({ natural }) => natural);
  const chosen: number[] = [];
  let used = -GAP;
  for (const index of byPriority(needs)) {
    const { least = 0, isBulky = false } = needs[index] ?? {};
    if (used + GAP + least <= room) {
      used += GAP + least;
      chosen.push(index);
    } else if (!isBulky) break;
  }
  const widths = widen(chosen, needs, room);
  const last = chosen.at(-1);
  if (chosen.length <= FEW || last === undefined || needs[last]?.isBulky === true) return widths;
  // A number at the end is worth less than names that are whole.
  const fewer = widen(chosen.slice(0, -1), needs, room);
  const isWorthIt = isCut(widths, needs) && (widths[last] ?? 0) >= (needs[last]?.natural ?? 0);
  return isWorthIt && !isCut(fewer, needs) ? fewer : widths;
}

/** With no more columns than this none is given up for the sake of another. */
const FEW = 4;

function byPriority(needs: readonly ColumnNeed[]): readonly number[] {
  return [...needs.keys()].toSorted((a, b) => (needs[a]?.priority ?? 0) - (needs[b]?.priority ?? 0));
}

function isCut(widths: readonly number[], needs: readonly ColumnNeed[]): boolean {
  return widths.some((width, index) => width > 0 && width < (needs[index]?.natural ?? 0));
}

/** Gives the narrowest first, one column at a time, so that no name is starved beside a long one. */
function widen(chosen: readonly number[], needs: readonly ColumnNeed[], room: number): readonly number[] {
  const widths = needs.map(({ least }, index) => (chosen.includes(index) ? least : 0));
  const used = chosen.reduce((sum, index) => sum + GAP + (widths[index] ?? 0), -GAP);
  for (let left = room - used; left > 0; left--) {
    let narrowest: number | undefined;
    for (const index of chosen) {
      const width = widths[index] ?? 0;
      if (width >= (needs[index]?.natural ?? 0)) continue;
      if (narrowest === undefined || width < (widths[narrowest] ?? 0)) narrowest = index;
    }
    if (narrowest === undefined) break;
    widths[narrowest] = (widths[narrowest] ?? 0) + 1;
  }
  return widths;
}
