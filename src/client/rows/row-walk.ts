import { type ByteScan, Unread, type Visit } from "../../model/json/byte-scan.ts";
import type { TypeWatch } from "./alike-rows.ts";
import { followPattern, type RowPattern } from "../../model/json/row-pattern.ts";

const OPEN_OBJECT = 123;

/** Walks from row to row of a list, and notes where each and what tells it apart lie. */
export interface RowWalk {
  /** The index after the row that begins there. */
  readonly endOfRow: (start: number) => number;
  /** For each row its start and end, then those of the values that tell it from others; -1 for what it lacks. */
  readonly spans: readonly number[];
  /** How many numbers a row has. */
  readonly stride: number;
  /** For each row whether it has the names and the types of the one before; none is, where nobody watches types. */
  readonly alike: readonly boolean[];
}

export function createRowWalk(scan: ByteScan, names: readonly Uint8Array[], types?: TypeWatch): RowWalk {
  const spans: number[] = [];
  const alike: boolean[] = [];
  const stride = 2 + 2 * names.length;
  let row = 0;
  let pattern: RowPattern | undefined;
  /** For each name where its value stands among the leaves; -1 for what the pattern lacks. */
  let places: readonly number[] = [];
  let found: number[] = [];

  const visit: Visit = (key, value) => {
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index];
      if (name === undefined || !scan.isNamed(key, name)) continue;
      const end = scan.endOfValue(value, 3);
      spans[row + 2 + 2 * index] = value;
      spans[row + 3 + 2 * index] = end;
      return end;
    }
    return undefined;
  };

  /** The whole of it, as a pattern for the next ones. */
  const walk = (start: number): number => {
    if (scan.bytes[start] !== OPEN_OBJECT) throw new Unread();
    spans.push(start, start);
    for (let index = 0; index < names.length; index += 1) spans.push(-1, -1);
    const leaves: number[] = [];
    scan.leaves = leaves;
    const end = scan.endOfObject(start, 2, visit);
    scan.leaves = undefined;
    spans[row + 1] = end;
    pattern = { start, end, leaves };
    found = [...leaves];
    types?.begin(leaves);
    alike.push(false);
    places = names.map((_, index) => leaves.indexOf(spans[row + 2 + 2 * index] ?? -1));
    // What tells it apart holds other values: then the next row has to be walked as well.
    if (places.some((place, index) => place < 0 && spans[row + 2 + 2 * index] !== -1)) pattern = undefined;
    return end;
  };

  return {
    spans,
    stride,
    alike,
    endOfRow: (start) => {
      row = spans.length;
      const end = pattern === undefined ? -1 : followPattern(scan, pattern, start, found);
      if (end < 0) return walk(start);
      alike.push(types?.isAlike(found) ?? false);
      spans.push(start, end);
      for (let index = 0; index < places.length; index += 1) {
        const place = places[index] ?? -1;
        spans.push(place < 0 ? -1 : (found[place] ?? -1), place < 0 ? -1 : (found[place + 1] ?? -1));
      }
      return end;
    },
  };
}
