import type { ByteScan } from "../../json/byte-scan.ts";

/** What a value begins with that holds no others: a string, a number, `false`, `null` and `true`. */
const beginsLeaf = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"-0123456789fnt'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * How a row is written, but for its values: the rows of a list differ in little else. Where a row is written as one that
 * was walked, only its values need a walk: all between them is the same bytes, so it is the same grammar. Without it a
 * list is read at 28 % of what a socket gives, with it at more than 40 %.
 */
export interface RowPattern {
  /** Where the row that it was taken from begins. */
  readonly start: number;
  /** The start and the end of each value in it that holds no others; then the end of the row. */
  readonly leaves: readonly number[];
}

/**
 * The index after the row that begins at `at`, in the same bytes; the start and the end of each of its leaves go into
 * `found`. -1 where it is written in another way.
 */
export function followPattern(
  scan: ByteScan,
  { start, leaves }: RowPattern,
  at: number,
  found: number[],
): number {
  const { bytes } = scan;
  const last = leaves.length - 1;
  let from = start;
  let index = at;
  for (let leaf = 0; ; leaf += 2) {
    const until = leaves[leaf] ?? 0;
    const value = index + until - from;
    if (!isSame(scan, from, until, index)) return -1;
    if (leaf === last) return value;
    if (beginsLeaf[bytes[value] ?? 0] === 0) return -1;
    from = leaves[leaf + 1] ?? 0;
    index = scan.endOfLeaf(value);
    found[leaf] = value;
    found[leaf + 1] = index;
  }
}

/** Whether the bytes from `from` to `until` stand at `at` again; four at a time. */
function isSame({ bytes, view }: ByteScan, from: number, until: number, at: number): boolean {
  const distance = at - from;
  if (until + distance > bytes.length) return false;
  let index = from;
  for (; index + 4 <= until; index += 4)
    if (view.getInt32(index) !== view.getInt32(index + distance)) return false;
  for (; index < until; index += 1) if (bytes[index] !== bytes[index + distance]) return false;
  return true;
}
