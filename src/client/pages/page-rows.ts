import type { RowShape } from "../../api/endpoint.ts";
import { invalidResponse } from "../../base/failure.ts";
import { isObject, member, rawMembers } from "../../base/json/json-scan.ts";
import { hashText, type TextHash } from "../../base/text/text-hash.ts";
import type { Document } from "../document.ts";
import { type Page, type Reading, readRows, timeFieldOf } from "../page.ts";
import { createAnswerCutter, type CutAnswer } from "../response/byte-rows.ts";
import { type Rows, textRows } from "../rows.ts";
import { compareInstants, type Instant, parseRfc3339 } from "../../base/time/time.ts";
import { createSeenKeys, HashTable, type SeenKeys } from "../seen-keys.ts";

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
  const onPage = new HashTable();
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
    onPage.clear();
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
      const first = onPage.add(hash.high, hash.low) ? index : firstWith(hashes, hash);
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

/** The first row of a page with this hash. Few pages have two rows with the same one. */
function firstWith(hashes: Int32Array, { high, low }: TextHash): number {
  let index = 0;
  while (hashes[2 * index] !== high || hashes[2 * index + 1] !== low) index += 1;
  return index;
}

/** The current position in a list that is sorted from newest to oldest. */
export class RowEdge {
  /** The identity and time of the last row taken. */
  last: object | undefined;
  /** The last id whose rows were all taken. */
  lastWholeId: string | undefined;
  /** How many of the last rows taken have the same time. */
  ties: number;
  #lastId: unknown;
  readonly #identity: readonly string[];
  readonly #idField: string;
  readonly #timeField: string;

  /** `start` is the last row of an earlier run. */
  constructor(shape: RowShape, start: object | undefined) {
    this.last = start;
    this.ties = start === undefined ? 0 : 1;
    this.#identity = shape.identity;
    [this.#idField = ""] = shape.identity;
    this.#timeField = timeFieldOf(shape) ?? "";
  }

  /** `isRetryOfPage` means that the rows begin before the edge. */
  moveTo(rows: Rows, isRetryOfPage: boolean): void {
    // These rows do not begin after the edge, so their first id does not prove that the edge's id is complete.
    if (isRetryOfPage) this.#lastId = undefined;
    for (const row of rows.marks()) {
      const id = this.#idOf(row);
      if (id !== this.#lastId && typeof this.#lastId === "string") this.lastWholeId = this.#lastId;
      this.#lastId = id;
      const isTie =
        this.last !== undefined && member(row, this.#timeField) === member(this.last, this.#timeField);
      this.ties = isTie ? this.ties + 1 : 1;
      this.last = row;
    }
  }

  /** Returns -1 if the last row taken is not one of these rows. */
  find(rows: Rows): number {
    const { last } = this;
    if (last === undefined) return -1;
    const isLast = (row: object): boolean =>
      this.#identity.every((field) => member(row, field) === member(last, field));
    return rows.marks().findIndex(isLast);
  }

  /** Whether the known rows are the first of these rows, and the last of them is the last row taken. */
  follows(known: readonly number[], rows: Rows): boolean {
    return known.at(-1) === known.length - 1 && this.find(rows) === known.length - 1;
  }

  /** Whether the rows after this ID begin with those of the last ID, some of which were taken. */
  isBefore(id: string): boolean {
    return this.last !== undefined && this.#idOf(this.last) !== id && (this.lastWholeId ?? id) === id;
  }

  #idOf(row: object | undefined): unknown {
    return member(row, this.#idField);
  }

  /** The last ID of these rows that is not the one of `row`. */
  lastOtherId(rows: Rows, row: object | undefined): string | undefined {
    const id = this.#idOf(row);
    const ids = rows.marks().map((each) => this.#idOf(each));
    return ids.findLast((each): each is string => typeof each === "string" && each !== id);
  }

  /** Whether the first rows all have the ID of the last row taken. */
  isOneId(rows: Rows, count: number): boolean {
    const id = this.#idOf(this.last);
    return rows
      .marks()
      .slice(0, count)
      .every((row) => this.#idOf(row) === id);
  }

  /** Whether the rows are sorted from newest to oldest. Rows without a valid time are ignored. */
  isSorted(rows: Rows): boolean {
    let before: unknown;
    for (const row of rows.marks()) {
      const time = member(row, this.#timeField);
      // Times of the same form have the order of their texts, so few of them are parsed.
      if (typeof time === "string" && typeof before === "string" && isNewer(time, before)) return false;
      before = time;
    }
    return true;
  }

  instantOf(row: object | undefined): Instant | undefined {
    const time = member(row, this.#timeField);
    return typeof time === "string" ? parseRfc3339(time) : undefined;
  }
}

function isNewer(time: string, before: string): boolean {
  const isUtc = time.length === before.length && time.endsWith("Z") && before.endsWith("Z");
  if (isUtc && time <= before) return false;
  const [later, earlier] = [parseRfc3339(time), parseRfc3339(before)];
  return later !== undefined && earlier !== undefined && compareInstants(later, earlier) > 0;
}
