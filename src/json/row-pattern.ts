import type { ByteScan } from "./byte-scan.ts";
import { areSameWithin, viewOf } from "../text/same-bytes.ts";

/**
 * How a row is written, but for its values: the rows of a list differ in little else. Where a row is written as one that
 * was walked, only its values need a walk: all between them is the same bytes, so it is the same grammar.
 */
export interface RowPattern {
  readonly view: DataView;
  /** Where the row that it was taken from begins there. */
  readonly start: number;
  /** The start and the end of each value in it that holds no others; then the end of the row. */
  readonly leaves: readonly number[];
}

/** The same, of a row of its own: it keeps nothing else of the answer it was taken from. */
export function ownPattern(pattern: RowPattern): RowPattern {
  const { view, start, leaves } = pattern;
  const end = leaves.at(-1) ?? start;
  if (start === 0 && end === view.byteLength) return pattern;
  const row = new Uint8Array(new Uint8Array(view.buffer, view.byteOffset + start, end - start));
  return { view: viewOf(row), start: 0, leaves: leaves.map((place) => place - start) };
}

/**
 * The index after the row that begins at `at`; the start and the end of each of its leaves go into `found`. -1 where it
 * is written in another way. What stands behind the last leaf is compared where the others are, so that V8 has room to make
 * all of the walk one piece of code.
 */
export function followPattern(
  scan: ByteScan,
  { view: known, start, leaves }: RowPattern,
  at: number,
  found: number[],
): number {
  const last = leaves.length - 1;
  let from = start;
  let index = at;
  for (let leaf = 0; ; leaf += 2) {
    const until = leaves[leaf] ?? 0;
    const value = index + until - from;
    if (value > scan.bytes.length || !areSameWithin(known, from, until, scan.view, index)) return -1;
    if (leaf === last) return value;
    from = leaves[leaf + 1] ?? 0;
    index = scan.endOfLeaf(value);
    if (index === -1) return -1;
    found[leaf] = value;
    found[leaf + 1] = index;
  }
}
