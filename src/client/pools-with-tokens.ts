import { invalidResponse } from "../base/failure.ts";
import { isObject, member } from "../base/json/json-scan.ts";
import { counted } from "../base/text/words.ts";
import { createRowInspector } from "./pages/page-rows.ts";
import { closing, nextOf, type Page, type PageNote, type Reading } from "./page.ts";
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

/** Reads one page for each token, and then only the list that probably ends first. A resumed pull knows its list. */
export async function* readPoolsWithTokens(request: PoolRequest): AsyncGenerator<Page> {
  const { client, list, reading, ofPool } = request;
  const lists: TokenList[] = [];
  for (const token of list.start?.list === undefined ? ofPool.tokens : [list.start.list]) {
    lists.push(await openList(request, token));
    if (lists.at(-1)?.matches === Number.POSITIVE_INFINITY) break;
  }
  const [chosen, ...others] = lists.toSorted((one, other) => other.matches - one.matches);
  for (const { pages } of others) await pages.return(undefined);
  if (chosen === undefined) return;
  const { token } = chosen;
  const inspect = createRowInspector(reading.seen);
  /** Pools with all tokens that the chosen list must have, because the first page of another one has them. */
  const due = new Set(
    others.flatMap(({ page }) => (page === undefined ? [] : poolsIn(page, matching(page, ofPool)))),
  );
  let unreported = others.reduce((sum, { page }) => sum + (page?.rows.length ?? 0), 0);
  let rowsRead = unreported;
  let isReadAgain = false;
  let { page, pages } = chosen;
  try {
    while (page !== undefined) {
      const { at, end, rows } = page;
      rowsRead += rows.length;
      const isCutOff = rowsRead + list.pageSize > ofPool.maxRowsRead && nextOf(page) !== undefined;
      const isMatch = matching(page, ofPool);
      for (const pool of poolsIn(page, isMatch)) due.delete(pool);
      const isLacking = end.kind === "last" && due.size > 0;
      if (isLacking && !isReadAgain && (await client.again(1, lackOf(due.size, token)))) {
        // The same list once more, from its start. Rows that were taken are not taken again.
        [isReadAgain, unreported] = [true, unreported + rows.length];
        await pages.return(undefined);
        ({ page, pages } = await openList(request, token));
        continue;
      }
      const kept = inspect(rows.keep(isMatch)).take();
      const read: PageNote = { kind: "read", rows: unreported + rows.length };
      const cutOff: readonly PageNote[] = isCutOff ? [{ kind: "cut off" }] : [];
      const shown = {
        ...page,
        ...kept,
        notes: [...page.notes.filter(({ kind }) => kind !== "repeats"), ...kept.notes, read, ...cutOff],
        // A cursor belongs to the list of one token.
        at: at && { ...at, list: token },
      };
      if (end.kind === "more") yield { ...shown, end: { ...end, next: { ...end.next, list: token } } };
      else {
        const doubts = isLacking ? [{ problem: lackOf(due.size, token), rows: due.size }] : [];
        yield* closing({ ...shown, end: { ...end, doubts } }, list.isStrict);
      }
      unreported = 0;
      const next = isCutOff ? undefined : await pages.next();
      page = next?.done === false ? next.value : undefined;
    }
  } finally {
    await pages.return(undefined);
  }
}

const lackOf = (lacking: number, token: string): string =>
  `the list of token ${token} lacks ${counted(lacking, "pool")} that another list has`;

/** All lists have the same pools with all tokens, so the list with more of them on a page is probably shorter. */
async function openList(
  { client, endpoint, args, list, reading, ofPool }: PoolRequest,
  token: string,
): Promise<TokenList> {
  // A page is requested only when the one before it has been used.
  const own = { ...reading, seen: createSeenKeys("all", false), wanted: undefined, readsAhead: false };
  const pages = readPages(client, endpoint, new Map([...args, [ofPool.param, token]]), list, own);
  const first = await pages.next();
  const page = first.done === true ? undefined : first.value;
  if (page === undefined || nextOf(page) === undefined)
    return { token, pages, page, matches: Number.POSITIVE_INFINITY };
  return { token, pages, page, matches: matching(page, ofPool).filter(Boolean).length };
}

function poolsIn({ rows }: Page, isMatch: readonly boolean[]): readonly string[] {
  const pools = rows.values().filter((_, index) => isMatch[index]);
  return pools.map((pool) => comparableAddress(String(member(pool, "id"))));
}

function matching({ rows }: Page, { tokens }: TokensOfPool): readonly boolean[] {
  const needed = tokens.map(comparableAddress);
  return rows.values().map((row) => {
    const own = member(row, "tokens");
    if (!Array.isArray(own)) throw invalidResponse("invalid response: a pool has no list of its tokens");
    const ids = own.filter(isObject).map((token) => comparableAddress(String(member(token, "id"))));
    return needed.every((token) => ids.includes(token));
  });
}
