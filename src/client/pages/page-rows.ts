import type { RowShape } from "../../api/endpoint.ts";
import { invalidResponse } from "../../base/failure.ts";
import { isObject, member, rawMembers } from "../../base/json/json-scan.ts";
import { hashText, type TextHash } from "../../base/text/text-hash.ts";
import type { Document } from "../client.ts";
import { type Page, type Reading, readRows, timeFieldOf } from "../page.ts";
import { createAnswerCutter, type CutAnswer } from "../response/byte-rows.ts";
import { type Rows, textRows } from "../rows.ts";
import { createSeenKeys, type SeenKeys } from "../seen-keys.ts";

/** `name` is the member that contains the rows. */
export function createAnswerReader(
  name: string,
  shape: RowShape,
  { indexedFields }: Pick<Reading, "indexedFields">,
): (document: Document) => CutAnswer {
  const { identity, owned = {} } = shape;
  const timeField = timeFieldOf(shape);
  const cut = createAnswerCutter(name, {
    identity,
    timeField,
    indexedFields: [...Object.keys(owned), ...indexedFields],
  });
  return (document) => {
    const answer = cut(document.bytes);
    if (answer !== undefined) return answer;
    // The response is malformed, or so unusual that its rows could not be cut out of the bytes.
    const { text, value } = document.read();
    if (!isObject(value)) throw invalidResponse("invalid response: not an object");
    const rows = readRows(rawMembers(text).get(name), member(value, name), name);
    return { envelope: value, rows: textRows(rows, identity) };
  };
}

/** The part of a page that follows from a comparison with earlier rows. */
type Taken = Pick<Page, "rows" | "adds" | "notes">;

/** The rows of a response, compared with each other and with the rows of earlier responses. */
export interface InspectedRows {
  /** Rows that no earlier response had, without doubles. A row without an identity is always one of them. */
  readonly fresh: number;
  /** The indexes of the rows that an earlier response had, in ascending order. */
  readonly known: readonly number[];
  /** Rows with the same bytes as another row of this response. */
  readonly doubles: number;
  /** Rows with the same identity as another row of this response, but other bytes. Both are kept. */
  readonly twins: number;
  /** Marks the rows as seen, and returns those to keep. */
  readonly take: () => Taken;
}

const noHashes = new Int32Array(0);

/** A list that shifts may repeat rows. `seen` has the rows of earlier responses. */
export function createRowInspector(seen: SeenKeys): (rows: Rows) => InspectedRows {
  // A row without an identity is always kept, but a list of such rows has to end as well.
  const unnamed = createSeenKeys("recent", false);
  const hash: TextHash = { high: 0, low: 0 };
  const firstOfHash = createPageTable();
  /** The memory of the last page taken, which serves the next one. */
  let spare = noHashes;
  return (rows) => {
    const { length } = rows;
    const hashes = spare.length < 2 * length ? new Int32Array(2 * length) : spare;
    spare = noHashes;
    const withoutName = new Set<number>();
    const known: number[] = [];
    const dropped = new Set<number>();
    let [fresh, doubles, twins] = [0, 0, 0];
    let hasNoNewRows = true;
    firstOfHash.clear(length);
    for (let index = 0; index < length; index += 1) {
      const isNamed = rows.hashKey(index, hash);
      if (!isNamed) {
        hashText(rows.text(index), hash);
        withoutName.add(index);
      }
      hashes[2 * index] = hash.high;
      hashes[2 * index + 1] = hash.low;
      if ((isNamed ? seen : unnamed).has(hash)) {
        if (isNamed) {
          dropped.add(index);
          known.push(index);
        } else fresh += 1;
        continue;
      }
      const first = firstOfHash.add(hashes, index);
      if (first !== index && isNamed) {
        if (rows.text(first) === rows.text(index)) {
          dropped.add(index);
          doubles += 1;
          continue;
        }
        twins += 1;
      }
      fresh += 1;
      hasNoNewRows = false;
    }
    const take = (): Taken => {
      for (let index = 0; index < length; index += 1) {
        hash.high = hashes[2 * index] ?? 0;
        hash.low = hashes[2 * index + 1] ?? 0;
        (withoutName.size > 0 && withoutName.has(index) ? unnamed : seen).add(hash);
      }
      spare = hashes;
      const adds = hasNoNewRows ? "nothing" : "rows";
      if (dropped.size === 0) return { rows, adds, notes: [] };
      const kept = rows.keep(Array.from({ length }, (_, index) => !dropped.has(index)));
      return { rows: kept, adds, notes: [{ kind: "repeats", rows: dropped.size }] };
    };
    return { fresh, known, doubles, twins, take };
  };
}

/** Finds rows with equal hashes on one page. The same memory serves all pages, because most of them have no such rows. */
function createPageTable() {
  /** For each slot, the index of a row plus 1; 0 marks an empty slot. */
  let slots = new Uint32Array(256);
  return {
    clear: (length: number): void => {
      if (2 * length > slots.length) slots = new Uint32Array(4 * length);
      else slots.fill(0);
    },
    /** Returns the index of the first row with the same hash: this one, unless another row came before it. */
    add: (hashes: Int32Array, index: number): number => {
      const [high, low] = [hashes[2 * index] ?? 0, hashes[2 * index + 1] ?? 0];
      let at = ((high ^ low) >>> 0) % slots.length;
      for (let taken = slots[at] ?? 0; taken > 0; taken = slots[at] ?? 0) {
        const first = taken - 1;
        if (hashes[2 * first] === high && hashes[2 * first + 1] === low) return first;
        at = at + 1 === slots.length ? 0 : at + 1;
      }
      slots[at] = index + 1;
      return index;
    },
  };
}
