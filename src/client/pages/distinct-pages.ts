import type { Endpoint } from "../../contract/endpoint.ts";
import { untrustedAnswer } from "../../contract/failure.ts";
import { hashText, type TextHash } from "../../text/text-hash.ts";
import type { Rows } from "../rows/rows.ts";
import type { Page } from "./page.ts";
import { createSeenKeys, type Reach, type SeenKeys } from "./seen-keys.ts";

/** Pages in a row that only repeat before the pull gives up: each costs a credit. */
const patienceWithRepeats = 3;
/** A rare filter may well leave some pages empty. */
const patienceWithEmptyPages = 20;

/** How far back a repeat of an endpoint's rows may reach: lists that are handed over by time are in its order. */
export function reachOf({ reply }: Endpoint): Reach {
  return reply.kind === "numbered-pages" && reply.handOverAfter !== undefined ? "recent" : "all";
}

/**
 * The same pages. A list that goes on without anything new ends as an error instead of spending credits for ever.
 */
export async function* refuseEndless(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let [repeats, empty] = [0, 0];
  for await (const page of pages) {
    const { isBarren = false, isAgain = false } = page;
    // Where the walk asked once more on purpose, what it brings says nothing about the list.
    if (!isAgain) {
      repeats = isBarren && (page.rows.length > 0 || (page.repeats ?? 0) > 0) ? repeats + 1 : 0;
      empty = isBarren ? empty + 1 : 0;
    }
    const isEndless =
      !isAgain &&
      page.next !== undefined &&
      (repeats === patienceWithRepeats || empty === patienceWithEmptyPages);
    yield page;
    if (isEndless)
      throw untrustedAnswer(`${empty} pages in a row brought nothing new, yet the service promises more`);
  }
}

/** The rows of a page that have not come before. */
export interface DistinctRows {
  readonly rows: Rows;
  /** Rows that were left out because they had come before; absent where there is none. */
  readonly repeats?: number;
  /** No row was new. */
  readonly isBarren: boolean;
}

export interface DistinctFilter {
  readonly filter: (rows: Rows) => DistinctRows;
  /** How many rows of the list have passed so far; one that the service lists twice in a page counts twice. */
  readonly listed: () => number;
}

/** While a list moves, the service may send a row again. Adds the rows to those seen. */
export function createDistinctFilter(seen: SeenKeys): DistinctFilter {
  const findRepeats = createRepeatFinder(seen);
  let listed = 0;
  return {
    filter: (rows) => {
      const { repeated, isBarren } = findRepeats(rows);
      listed += rows.length - repeated.size;
      if (repeated.size === 0) return { rows, isBarren };
      const kept = rows.keep(Array.from({ length: rows.length }, (_, index) => !repeated.has(index)));
      listed += twinsOf(rows, repeated);
      return { rows: kept, repeats: repeated.size, isBarren };
    },
    listed: () => listed,
  };
}

/** How many of the repeated rows repeat another one of the same page. */
function twinsOf(rows: Rows, repeated: ReadonlySet<number>): number {
  const hash: TextHash = { high: 0, low: 0 };
  const keyAt = (index: number): string => {
    rows.hashKey(index, hash);
    return `${hash.high} ${hash.low}`;
  };
  const indexes = Array.from({ length: rows.length }, (_, index) => index);
  const own = new Set(indexes.filter((index) => !repeated.has(index)).map(keyAt));
  return [...repeated].filter((index) => own.has(keyAt(index))).length;
}

interface Repeats {
  /** The indexes of the rows that came before. */
  readonly repeated: ReadonlySet<number>;
  /** No row was new. */
  readonly isBarren: boolean;
}

/** A plain function, as V8 is slow to optimise a loop in a generator. */
function createRepeatFinder(seen: SeenKeys): (rows: Rows) => Repeats {
  // A row without what tells it apart is given each time; but a list of nothing else must end as well.
  const unnamed = createSeenKeys("recent", false);
  const hash: TextHash = { high: 0, low: 0 };
  return (rows) => {
    const repeated = new Set<number>();
    let isBarren = true;
    for (let index = 0; index < rows.length; index += 1) {
      if (rows.hashKey(index, hash)) {
        if (seen.add(hash)) isBarren = false;
        else repeated.add(index);
        continue;
      }
      hashText(rows.text(index), hash);
      if (unnamed.add(hash)) isBarren = false;
    }
    return { repeated, isBarren };
  };
}

/** Whether any of these rows is new. */
export function hasNewRow(rows: Rows, seen: SeenKeys): boolean {
  for (let index = 0; index < rows.length; index += 1) if (!isKnown(rows, index, seen)) return true;
  return false;
}

const hashed: TextHash = { high: 0, low: 0 };

/** Whether this row was seen before. A row without a key counts as new. */
export function isKnown(rows: Rows, index: number, seen: SeenKeys): boolean {
  return index < rows.length && rows.hashKey(index, hashed) && seen.has(hashed);
}
