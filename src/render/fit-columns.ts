import type { Output } from "../model/context.ts";

/** What a column needs, in columns of the terminal. */
export interface ColumnNeed {
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
 * The width of each column, 0 for one that is left out. Columns come most important first; the first that does not
 * fit ends the table, but a bulky one only steps aside. Room that is left goes to the columns that were cut.
 */
export function fitColumns(needs: readonly ColumnNeed[], room: number | undefined): readonly number[] {
  if (room === undefined) return needs.map(({ natural }) => natural);
  const widths = needs.map(() => 0);
  let used = -GAP;
  for (const [index, { least, isBulky }] of needs.entries()) {
    if (used + GAP + least <= room) {
      used += GAP + least;
      widths[index] = least;
    } else if (!isBulky) break;
  }
  return widen(widths, needs, room - used);
}

/** Gives the narrowest first, one column at a time, so that no name is starved beside a long one. */
function widen(widths: number[], needs: readonly ColumnNeed[], spare: number): readonly number[] {
  for (let left = spare; left > 0; left--) {
    let narrowest: number | undefined;
    for (const [index, width] of widths.entries()) {
      if (width === 0 || width >= (needs[index]?.natural ?? 0)) continue;
      if (narrowest === undefined || width < (widths[narrowest] ?? 0)) narrowest = index;
    }
    if (narrowest === undefined) break;
    widths[narrowest] = (widths[narrowest] ?? 0) + 1;
  }
  return widths;
}
