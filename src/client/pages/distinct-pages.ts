import type { Endpoint } from "../../model/endpoint.ts";
import { untrustedAnswer } from "../../model/failure.ts";
import { hashText, type TextHash } from "../../model/text/text-hash.ts";
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
 * The same pages without rows that an earlier one had: while a list moves, the service may send a row again. A
 * list that goes on without anything new ends as an error instead of spending credits for ever.
 */
export async function* distinctPages(pages: AsyncIterable<Page>, seen: SeenKeys): AsyncGenerator<Page> {
  let [repeats, empty] = [0, 0];
  const findRepeats = createRepeatFinder(seen);
  for await (const page of pages) {
    const { repeated, isBarren } = findRepeats(page.rows);
    const distinct = repeated.size > 0 ? withoutRepeats(page, repeated) : page;
    // Where the walk asked once more on purpose, what it brings says nothing about the list.
    if (page.isAgain !== true) {
      repeats = isBarren && page.rows.length > 0 ? repeats + 1 : 0;
      empty = isBarren ? empty + 1 : 0;
    }
    const isEndless =
      page.isAgain !== true &&
      page.next !== undefined &&
      (repeats === patienceWithRepeats || empty === patienceWithEmptyPages);
    yield distinct;
    if (isEndless)
      throw untrustedAnswer(`${empty} pages in a row brought nothing new, yet the service promises more`);
  }
}

interface Repeats {
  /** The indexes of the rows that an earlier page had. */
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

/** Whether any of these rows has not come before. A row without what tells it apart counts as new. */
export function hasNewRow(rows: Rows, seen: SeenKeys): boolean {
  const hash: TextHash = { high: 0, low: 0 };
  for (let index = 0; index < rows.length; index += 1)
    if (!rows.hashKey(index, hash) || !seen.has(hash)) return true;
  return false;
}

function withoutRepeats(page: Page, repeated: ReadonlySet<number>): Page {
  const rows = page.rows.keep(Array.from({ length: page.rows.length }, (_, index) => !repeated.has(index)));
  return { ...page, rows, repeats: repeated.size };
}
