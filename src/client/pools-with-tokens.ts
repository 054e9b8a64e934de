import { invalidResponse } from "../base/failure.ts";
import { isObject, member } from "../base/json/json-scan.ts";
import { createRowInspector } from "./pages/page-rows.ts";
import { more, nextOf, type Page, type PageNote, type Reading } from "./page.ts";
import type { ListRequest, TokensOfPool } from "./list-plan.ts";
import { createSeenKeys } from "./seen-keys.ts";
import { comparableAddress } from "./subject.ts";
import { readPages } from "./read-pages.ts";

interface PoolRequest extends ListRequest {
  readonly reading: Reading;
  readonly ofPool: TokensOfPool;
}

interface TokenList {
  readonly token: string;
  readonly pages: AsyncGenerator<Page>;
  /** The page that has been read last; undefined after the last one. */
  readonly page: Page | undefined;
  /** Infinite if the list has only one page. */
  readonly matches: number;
}

interface ReadPage {
  readonly token: string;
  readonly page: Page;
  readonly isMatch: readonly boolean[];
  /** Set for the last page if this list has a pool that is missing. */
  readonly other: TokenList | undefined;
}

/** Reads one page for each token, and then only the list that probably ends first. A resumed pull knows its list. */
export async function* readPoolsWithTokens(request: PoolRequest): AsyncGenerator<Page> {
  const { list, reading, ofPool } = request;
  const lists: TokenList[] = [];
  for (const token of list.start?.list === undefined ? ofPool.tokens : [list.start.list]) {
    lists.push(await openList(request, token));
    if (lists.at(-1)?.matches === Number.POSITIVE_INFINITY) break;
  }
  const [chosen, ...others] = lists.toSorted((one, other) => other.matches - one.matches);
  if (chosen === undefined) return;
  const inspect = createRowInspector(reading.seen);
  let unreported = others.reduce((sum, { page }) => sum + (page?.rows.length ?? 0), 0);
  let rowsRead = unreported;
  try {
    for await (const { token, page, isMatch, other } of pagesOf(request, chosen, others)) {
      const { at, end, notes, rows } = page;
      const isCounted = others.some((each) => each.page === page);
      unreported += isCounted ? 0 : rows.length;
      rowsRead += isCounted ? 0 : rows.length;
      const isCutOff = rowsRead + list.pageSize > ofPool.maxRowsRead && nextOf(page) !== undefined;
      const kept = inspect(rows.keep(isMatch)).take();
      const read: PageNote = { kind: "read", rows: unreported };
      const cutOff: readonly PageNote[] = isCutOff ? [{ kind: "cut off" }] : [];
      const toOther = other?.page && nextOf(other.page);
      yield {
        ...page,
        ...kept,
        notes: [...notes.filter(({ kind }) => kind !== "repeats"), ...kept.notes, read, ...cutOff],
        // A cursor belongs to the list of one token.
        at: at && { ...at, list: token },
        end:
          toOther !== undefined
            ? more({ ...toOther, list: other?.token }, end.doubts, true)
            : end.kind === "more"
              ? { ...end, next: { ...end.next, list: token } }
              : end,
      };
      unreported = 0;
      if (isCutOff) return;
    }
  } finally {
    for (const { pages } of others) await pages.return(undefined);
  }
}

/**
 * The pages of the chosen list. If it ends without a pool with all tokens that another list has, it has ended too early:
 * it is read once more, and then the other list.
 */
async function* pagesOf(
  request: PoolRequest,
  chosen: TokenList,
  others: readonly TokenList[],
): AsyncGenerator<ReadPage> {
  const { client, ofPool } = request;
  const found = new Set<string>();
  const hasOther = ({ page }: TokenList): boolean =>
    page !== undefined && matchesIn(page, matching(page, ofPool)).some((id) => !found.has(id));
  let list: TokenList | undefined = chosen;
  for (let reads = 1; list !== undefined; reads += 1) {
    const { token, pages }: TokenList = list;
    let other: TokenList | undefined;
    try {
      for (let page = list.page; page !== undefined; page = await nextPage(pages)) {
        const isMatch = matching(page, ofPool);
        for (const id of matchesIn(page, isMatch)) found.add(id);
        other = page.end.kind === "last" ? others.find(hasOther) : undefined;
        yield { token, page, isMatch, other };
      }
    } finally {
      await pages.return(undefined);
    }
    const isDoubted = other !== undefined && reads === 1;
    list =
      isDoubted && (await client.again(1, `the list of ${token} lacks a pool`))
        ? await openList(request, token)
        : other;
  }
}

async function nextPage(pages: AsyncGenerator<Page>): Promise<Page | undefined> {
  const next = await pages.next();
  return next.done === true ? undefined : next.value;
}

/** All lists have the same pools with all tokens, so the list with more of them on a page is probably shorter. */
async function openList(
  { client, endpoint, args, list, reading, ofPool }: PoolRequest,
  token: string,
): Promise<TokenList> {
  // A page is requested only when the one before it has been used.
  const own = { ...reading, seen: createSeenKeys("all", false), wanted: 1 };
  const pages = readPages(client, endpoint, new Map([...args, [ofPool.param, token]]), list, own);
  const page = await nextPage(pages);
  if (page === undefined || nextOf(page) === undefined)
    return { token, pages, page, matches: Number.POSITIVE_INFINITY };
  return { token, pages, page, matches: matching(page, ofPool).filter(Boolean).length };
}

const matchesIn = ({ rows }: Page, isMatch: readonly boolean[]): readonly string[] =>
  rows
    .values()
    .filter((_, index) => isMatch[index])
    .map((row) => comparableAddress(String(member(row, "id"))));

function matching({ rows }: Page, { tokens }: TokensOfPool): readonly boolean[] {
  const needed = tokens.map(comparableAddress);
  return rows.values().map((row) => {
    const own = member(row, "tokens");
    if (!Array.isArray(own)) throw invalidResponse("invalid response: a pool has no list of its tokens");
    const ids = own.filter(isObject).map((token) => comparableAddress(String(member(token, "id"))));
    return needed.every((token) => ids.includes(token));
  });
}
