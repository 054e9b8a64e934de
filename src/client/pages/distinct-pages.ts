import type { Endpoint } from "../../contract/endpoint.ts";
import { invalidResponse } from "../../contract/failure.ts";
import { hashText, type TextHash } from "../../text/text-hash.ts";
import type { Rows } from "../rows/rows.ts";
import type { Page } from "./page.ts";
import { createSeenKeys, type Reach, type SeenKeys } from "./seen-keys.ts";

/** The pull gives up after this many consecutive pages of repeated rows, because each page costs a credit. */
const patienceWithRepeats = 3;
/** More empty pages are accepted, because a filter that matches few rows may leave some empty. */
const patienceWithEmptyPages = 20;

/** Lists that are continued by time are sorted by time, so they repeat only recent rows. */
export function reachOf({ reply }: Endpoint): Reach {
  return reply.kind === "numbered-pages" && reply.handOverAfter !== undefined ? "recent" : "all";
}

/** Passes pages through, but fails if a list continues endlessly without new rows, because each page costs a credit. */
export async function* refuseEndless(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let [repeats, empty] = [0, 0];
  for await (const page of pages) {
    const { isBarren = false, isReplayedPage = false } = page;
    // A page that was requested again on purpose is not a sign of an endless list.
    if (!isReplayedPage) {
      repeats = isBarren && (page.rows.length > 0 || (page.repeats ?? 0) > 0) ? repeats + 1 : 0;
      empty = isBarren ? empty + 1 : 0;
    }
    yield page;
    const isExhausted = repeats === patienceWithRepeats || empty === patienceWithEmptyPages;
    if (isExhausted && !isReplayedPage && page.next !== undefined)
      throw invalidResponse(
        `${empty} consecutive pages had no new rows, but the service promises another page`,
      );
  }
}

/** A list that shifts may repeat rows. The remaining rows are recorded as seen. */
export function createDistinctFilter(seen: SeenKeys) {
  // A row without an identity is always kept, but a list of such rows has to end as well.
  const unnamed = createSeenKeys("recent", false);
  const hash: TextHash = { high: 0, low: 0 };
  let listed = 0;
  const filter = (rows: Rows) => {
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
    if (repeated.size === 0) return { rows, repeats: 0, isBarren };
    listed += twinsOf(rows, repeated);
    const kept = rows.keep(Array.from({ length: rows.length }, (_, index) => !repeated.has(index)));
    return { rows: kept, repeats: repeated.size, isBarren };
  };
  /** A row that the service lists twice on one page is counted twice. */
  return { filter, listed: (): number => listed };
}

/** How many of the repeated rows repeat another row on the same page. */
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

export function hasNewRow(rows: Rows, seen: SeenKeys): boolean {
  for (let index = 0; index < rows.length; index += 1) if (!isKnown(rows, index, seen)) return true;
  return false;
}

const hashed: TextHash = { high: 0, low: 0 };

/** A row without an identity is always new. */
export function isKnown(rows: Rows, index: number, seen: SeenKeys): boolean {
  return index < rows.length && rows.hashKey(index, hashed) && seen.has(hashed);
}
