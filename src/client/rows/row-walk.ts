import { type ByteScan, Unread, type Visit } from "../../json/byte-scan.ts";
import { type TypeWatch, watchTypes } from "./alike-rows.ts";
import { followPattern, ownPattern, type RowPattern } from "../../json/row-pattern.ts";

const OPEN_OBJECT = 123;

/** Walks from row to row of lists, and notes where each and what tells it apart lie. */
export interface RowWalk {
  /** A list begins. What the rows of the one before have taught about how they are written is kept. */
  readonly begin: (scan: ByteScan) => void;
  /** The index after the row that begins there. */
  readonly endOfRow: (start: number) => number;
  /** Of the rows since then. */
  readonly take: () => RowNotes;
}

export interface RowNotes {
  /** For each row its start and end, then those of the values that tell it from others; -1 for what it lacks. */
  readonly spans: Int32Array;
  /** How many numbers a row has among them. */
  readonly stride: number;
  /** For each row whether it has the names and the types of the one before; none at all, where nobody watches types. */
  readonly alike: readonly boolean[];
}

export function createRowWalk(names: readonly Uint8Array[], isTyped: boolean): RowWalk {
  const stride = 2 + 2 * names.length;
  const types = isTyped ? watchTypes() : undefined;
  let scan: ByteScan;
  let spans = new Int32Array(0);
  let [used, room] = [0, 128 * stride];
  let alike: boolean[] = [];
  let pattern: RowPattern | undefined;
  /** It holds in other answers as well: nothing between its values was noted of this one. */
  let isLasting = false;
  /** For each name where its value stands among the leaves; -1 for what the pattern lacks. */
  let places: readonly number[] = [];
  let found: number[] = [];

  const makeRoom = (): void => {
    room *= 2;
    const wider = new Int32Array(room);
    wider.set(spans);
    spans = wider;
  };

  const visit: Visit = (key, value) => {
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index];
      if (name === undefined || !scan.isNamed(key, name)) continue;
      const end = scan.endOfValue(value, 3);
      spans[used + 2 + 2 * index] = value;
      spans[used + 3 + 2 * index] = end;
      return end;
    }
    return undefined;
  };

  /** The whole of it, as a pattern for the next ones. */
  const walk = (start: number): number => {
    if (scan.bytes[start] !== OPEN_OBJECT) throw new Unread();
    spans.fill(-1, used, used + stride);
    const leaves: number[] = [];
    const wide = scan.wide.length;
    scan.leaves = leaves;
    const end = scan.endOfObject(start, 2, visit);
    scan.leaves = undefined;
    spans[used] = start;
    spans[used + 1] = end;
    pattern = { view: scan.view, start, leaves: [...leaves, end] };
    isLasting = !scan.hasBlanks && scan.wide.length === wide;
    found = [...leaves];
    types?.begin(scan.bytes, leaves);
    places = names.map((_, index) => leaves.indexOf(spans[used + 2 + 2 * index] ?? -1));
    // What tells it apart holds other values: then the next row has to be walked as well.
    if (places.some((place, index) => place < 0 && spans[used + 2 + 2 * index] !== -1)) pattern = undefined;
    return end;
  };

  const follow = (start: number, end: number): void => {
    spans[used] = start;
    spans[used + 1] = end;
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index] ?? -1;
      spans[used + 2 + 2 * index] = place < 0 ? -1 : (found[place] ?? -1);
      spans[used + 3 + 2 * index] = place < 0 ? -1 : (found[place + 1] ?? -1);
    }
  };

  const isAlike = (watch: TypeWatch): boolean => {
    if (used > 0) return watch.isAlike(scan.bytes, found);
    // The row before is one of another answer.
    watch.begin(scan.bytes, found);
    return false;
  };

  return {
    begin: (begun) => {
      scan = begun;
      [used, alike, spans] = [0, [], new Int32Array(room)];
      pattern = pattern !== undefined && isLasting ? ownPattern(pattern) : undefined;
    },
    endOfRow: (start) => {
      if (used + stride > spans.length) makeRoom();
      const followed = pattern === undefined ? -1 : followPattern(scan, pattern, start, found);
      const end = followed < 0 ? walk(start) : followed;
      if (followed >= 0) follow(start, end);
      if (types !== undefined) alike.push(followed >= 0 && isAlike(types));
      used += stride;
      return end;
    },
    take: () => ({ spans: spans.subarray(0, used), stride, alike }),
  };
}
