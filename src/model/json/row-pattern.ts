import type { ByteScan } from "./byte-scan.ts";
import { areSameWithin, viewOf } from "./same-bytes.ts";

/**
 * How a row is written, but for its values: the rows of a list differ in little else. Where a row is written as one that
 * was walked, only its values need a walk: all between them is the same bytes, so it is the same grammar.
 */
export interface RowPattern {
  /** The row that it was taken from: a copy, for rows of answers to come. */
  readonly row: DataView;
  /** The start and the end of each value in it that holds no others. */
  readonly leaves: readonly number[];
}

export function patternOf(
  bytes: Uint8Array,
  start: number,
  end: number,
  leaves: readonly number[],
): RowPattern {
  return { row: viewOf(bytes.slice(start, end)), leaves: leaves.map((place) => place - start) };
}

/**
 * The index after the row that begins at `at`; the start and the end of each of its leaves go into `found`. -1 where it
 * is written in another way.
 */
export function followPattern(
  scan: ByteScan,
  { row, leaves }: RowPattern,
  at: number,
  found: number[],
): number {
  const { view } = scan;
  const size = scan.bytes.length;
  let from = 0;
  let index = at;
  for (let leaf = 0; leaf < leaves.length; leaf += 2) {
    const until = leaves[leaf] ?? 0;
    const value = index + until - from;
    if (value > size || !areSameWithin(row, from, until, view, index)) return -1;
    from = leaves[leaf + 1] ?? 0;
    index = scan.endOfLeaf(value);
    if (index === -1) return -1;
    found[leaf] = value;
    found[leaf + 1] = index;
  }
  const end = row.byteLength;
  const last = index + end - from;
  return last <= size && areSameWithin(row, from, end, view, index) ? last : -1;
}
