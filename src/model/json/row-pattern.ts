import type { ByteScan } from "./byte-scan.ts";

/**
 * How a row is written, but for its values: the rows of a list differ in little else. Where a row is written as one that
 * was walked, only its values need a walk: all between them is the same bytes, so it is the same grammar.
 */
export interface RowPattern {
  /** Where the row that it was taken from begins and ends, in the same bytes. */
  readonly start: number;
  readonly end: number;
  /** The start and the end of each value that holds no others. */
  readonly leaves: readonly number[];
}

/**
 * The index after the row that begins at `at`; the start and the end of each of its leaves go into `found`. -1 where it
 * is written in another way.
 */
export function followPattern(
  scan: ByteScan,
  { start, end, leaves }: RowPattern,
  at: number,
  found: number[],
): number {
  const { view } = scan;
  let from = start;
  let index = at;
  for (let leaf = 0; leaf < leaves.length; leaf += 2) {
    const until = leaves[leaf] ?? 0;
    const value = index + until - from;
    if (!isSame(view, from, until, index)) return -1;
    from = leaves[leaf + 1] ?? 0;
    index = scan.endOfLeaf(value);
    if (index === -1) return -1;
    found[leaf] = value;
    found[leaf + 1] = index;
  }
  return isSame(view, from, end, index) ? index + end - from : -1;
}

/**
 * Whether the bytes at `at` are those from `from` to `until`, eight at a time where there are as many: as a double, which
 * V8 reads and compares at once. The bits that are no number equal nothing, and those of 0 are no text.
 */
function isSame(view: DataView, from: number, until: number, at: number): boolean {
  const length = until - from;
  if (at + length > view.byteLength) return false;
  if (length < 8) {
    for (let index = 0; index < length; index += 1)
      if (view.getUint8(from + index) !== view.getUint8(at + index)) return false;
    return true;
  }
  for (let index = 0; index < length - 8; index += 8)
    if (view.getFloat64(from + index) !== view.getFloat64(at + index)) return false;
  return view.getFloat64(until - 8) === view.getFloat64(at + length - 8);
}
