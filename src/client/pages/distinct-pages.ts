import type { Endpoint } from "../../contract/endpoint.ts";
import { untrustedAnswer } from "../../contract/failure.ts";
import { hashText, type TextHash } from "../../text/text-hash.ts";
import type { Rows } from "../rows/rows.ts";
import type { Page } from "./page.ts";
import { createSeenKeys, type Reach, type SeenKeys } from "./seen-keys.ts";

/** Pages in a row with repeated rows only, before the pull gives up: each costs a credit. */
const patienceWithRepeats = 3;
/** A filter that matches few rows may leave some pages empty. */
const patienceWithEmptyPages = 20;

/** How far back rows of an endpoint may repeat: lists that continue by time are sorted by it. */
export function reachOf({ reply }: Endpoint): Reach {
  return reply.kind === "numbered-pages" && reply.handOverAfter !== undefined ? "recent" : "all";
}

/** Passes pages through. A list that continues without new rows ends with an error instead of spending credits for ever. */
export async function* refuseEndless(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let [repeats, empty] = [0, 0];
  for await (const page of pages) {
    const { isBarren = false, isAgain = false } = page;
    // A page that was requested again on purpose does not indicate an endless list.
    if (!isAgain) {
      repeats = isBarren && (page.rows.length > 0 || (page.repeats ?? 0) > 0) ? repeats + 1 : 0;
      empty = isBarren ? empty + 1 : 0;
    }
    yield page;
    const isExhausted = repeats === patienceWithRepeats || empty === patienceWithEmptyPages;
    if (isExhausted && !isAgain && page.next !== undefined)
      throw untrustedAnswer(
        `${empty} consecutive pages had no new rows, but the service promises another page`,
      );
  }
}

/** The rows of a page that no earlier page had. */
interface DistinctRows {
  readonly rows: Rows;
  /** The number of rows that were left out because an earlier page had them; absent if there are none. */
  readonly repeats?: number;
  /** No row was new. */
  readonly isBarren: boolean;
}

export type DistinctFilter = ReturnType<typeof createDistinctFilter>;

/** Drops rows that were seen before, because a list that moves may repeat them, and adds the rest to those seen. */
export function createDistinctFilter(seen: SeenKeys) {
  // A row without an identity is always kept, but a list of such rows must end as well.
  const unnamed = createSeenKeys("recent", false);
  const hash: TextHash = { high: 0, low: 0 };
  let listed = 0;
  const filter = (rows: Rows): DistinctRows => {
    const repeated = new Set<number>();
    let isBarren = true;
    for (let index = 0; index < rows.length; index += 1) {
      const isNamed = rows.hashKey(index, hash);
      if (!isNamed) hashText(rows.text(index), hash);
      const isNew = (isNamed ? seen : unnamed).add(hash);
      if (isNew) isBarren = false;
      else if (isNamed) repeated.add(index);
    }
    listed += rows.length - repeated.size;
    if (repeated.size === 0) return { rows, isBarren };
    listed += twinsOf(rows, repeated);
    const kept = rows.keep(Array.from({ length: rows.length }, (_, index) => !repeated.has(index)));
    return { rows: kept, repeats: repeated.size, isBarren };
  };
  /** Rows of the list that have passed so far; one that the service lists twice in a page counts twice. */
  return { filter, listed: (): number => listed };
}

/** The number of repeated rows that repeat another one of the same page. */
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
