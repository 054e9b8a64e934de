import { ByteScan } from "../model/byte-scan.ts";
import { followPattern, type RowPattern } from "../model/row-pattern.ts";

const [QUOTE, MINUS, DOT, LETTER_F, LETTER_N, LETTER_T] = [34, 45, 46, 102, 110, 116];
const [ZERO, NINE] = [48, 57];
/** A double holds so many for certain. */
const mostDigits = 15;

/** What a value is, as far as a type can tell; 0 for what has to be parsed to find out. */
const UNCLEAR = 0;
const TEXT = 1;
const BOOLEAN = 2;
const NULL = 3;
const INTEGER = 4;
const FRACTION = 5;

/**
 * For each row whether it is what the one before it is: the same names in the same order, and values of the same types.
 * Who has checked the one need not look at the other.
 */
export function findAlike(
  bytes: Buffer,
  count: number,
  bounds: (index: number) => readonly [start: number, end: number],
): readonly boolean[] {
  const scan = new ByteScan(bytes);
  let found: number[] = [];
  let pattern: RowPattern | undefined;
  return Array.from({ length: count }, (_, index) => {
    const [start, end] = bounds(index);
    if (pattern !== undefined && followPattern(scan, pattern, start, found) === end) {
      const { leaves } = pattern;
      if (isOfSameTypes(bytes, leaves, found)) return true;
    }
    const leaves: number[] = [];
    scan.leaves = leaves;
    scan.endOfValue(start);
    scan.leaves = undefined;
    found = [...leaves];
    pattern = { start, end, leaves };
    return false;
  });
}

function isOfSameTypes(bytes: Buffer, leaves: readonly number[], found: readonly number[]): boolean {
  for (let leaf = 0; leaf < leaves.length; leaf += 2) {
    const type = typeOf(bytes, found[leaf] ?? 0, found[leaf + 1] ?? 0);
    if (type === UNCLEAR || type !== typeOf(bytes, leaves[leaf] ?? 0, leaves[leaf + 1] ?? 0)) return false;
  }
  return true;
}

function typeOf(bytes: Buffer, from: number, to: number): number {
  const first = bytes[from] ?? 0;
  if (first === QUOTE) return TEXT;
  if (first === LETTER_T || first === LETTER_F) return BOOLEAN;
  if (first === LETTER_N) return NULL;
  const start = first === MINUS ? from + 1 : from;
  const dot = endOfDigits(bytes, start, to);
  if (dot - start > mostDigits) return UNCLEAR;
  if (dot === to) return INTEGER;
  if (bytes[dot] !== DOT || endOfDigits(bytes, dot + 1, to) !== to) return UNCLEAR;
  // A fraction such as .0 or .99999… may come to an integer. One digit that is neither 0 nor 9 rules that out, as far
  // behind the point as doubles of that size reach.
  const places = dot - start === 1 && bytes[start] === ZERO ? 15 : 15 - (dot - start);
  for (let at = dot + 1; at < to && at <= dot + places; at += 1)
    if (bytes[at] !== ZERO && bytes[at] !== NINE) return FRACTION;
  return UNCLEAR;
}

function endOfDigits(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= NINE) at += 1;
  return at;
}
