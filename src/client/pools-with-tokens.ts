import type { Args } from "../api/args.ts";
import type { Endpoint } from "../api/endpoint.ts";
import { invalidResponse } from "../base/failure.ts";
import { isObject, member } from "../base/json/raw-json.ts";
import type { Client } from "./client.ts";
import { createRowInspector } from "./pages/distinct-pages.ts";
import { nextOf, type PageEnd } from "./pages/judge.ts";
import type { Page, TokensOfPool, Walk } from "./pages/page.ts";
import type { Position } from "./pages/position.ts";
import { createSeenKeys } from "./pages/seen-keys.ts";
import { comparableAddress } from "./subject.ts";
import { walkPages } from "./walk-pages.ts";

interface Walking {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly walk: Walk;
  readonly wanted: TokensOfPool;
}

interface TokenList {
  readonly token: string;
  readonly pages: AsyncGenerator<Page>;
  readonly first: Page | undefined;
  readonly matches: number;
}

/** Reads one page for each token, and then only the list that probably ends first. A resumed walk knows its list. */
export async function* walkPoolsWithTokens(walking: Walking): AsyncGenerator<Page> {
  const { walk, wanted } = walking;
  const list = walk.start?.list;
  const lists = list === undefined ? await firstPages(walking) : [await openList(walking, list)];
  const [chosen, ...others] = lists.toSorted((one, other) => other.matches - one.matches);
  for (const { pages } of others) await pages.return(undefined);
  if (chosen?.first === undefined) return;
  const inspect = createRowInspector(walk.seen ?? createSeenKeys("all", false));
  let rowsRead = others.reduce((sum, { first }) => sum + (first?.rows.length ?? 0), 0);
  let unreported = rowsRead;
  for (let page: Page | undefined = chosen.first; page !== undefined;) {
    rowsRead += page.rows.length;
    const { rows, repeats = 0 } = inspect(page.rows.keep(matching(page, wanted))).take();
    const isCutOff = rowsRead + walk.pageSize > wanted.maxRowsRead && nextOf(page) !== undefined;
    yield {
      ...page,
      rows,
      repeats: (page.repeats ?? 0) + repeats,
      rowsRead: unreported + page.rows.length,
      at: inList(page.at, chosen.token),
      end: endInList(page.end, chosen.token),
      isCutOff,
    };
    unreported = 0;
    if (isCutOff) return void (await chosen.pages.return(undefined));
    const next: IteratorResult<Page> = await chosen.pages.next();
    page = next.done === true ? undefined : next.value;
  }
}

/** Stops at a list that has only one page: no other list can end sooner. */
async function firstPages(walking: Walking): Promise<readonly TokenList[]> {
  const lists: TokenList[] = [];
  for (const token of walking.wanted.tokens) {
    const list = await openList(walking, token);
    lists.push(list);
    if (list.first === undefined || nextOf(list.first) === undefined) return lists;
  }
  return lists;
}

/** All lists have the same pools with all tokens, so the list with more of them on a page is shorter. */
async function openList(
  { client, endpoint, args, walk, wanted }: Walking,
  token: string,
): Promise<TokenList> {
  // A page is requested only when the one before it has been used.
  const own = { ...walk, ofPool: undefined, seen: undefined, wanted: 1 };
  const pages = walkPages(client, endpoint, new Map([...args, [wanted.param, token]]), own);
  const first = await pages.next();
  if (first.done === true) return { token, pages, first: undefined, matches: Number.POSITIVE_INFINITY };
  const page = first.value;
  const isShort = nextOf(page) === undefined;
  const matches = isShort ? Number.POSITIVE_INFINITY : matching(page, wanted).filter(Boolean).length;
  return { token, pages, first: page, matches };
}

function matching({ rows }: Page, { tokens }: TokensOfPool): readonly boolean[] {
  const needed = tokens.map(comparableAddress);
  return rows.values().map((row) => {
    const own = member(row, "tokens");
    if (!Array.isArray(own)) throw invalidResponse("invalid response: a pool has no list of its tokens");
    const ids = new Set(own.filter(isObject).map((token) => comparableAddress(String(member(token, "id")))));
    return needed.every((token) => ids.has(token));
  });
}

/** A cursor belongs to the list of one token. */
function inList(position: Position | undefined, list: string): Position | undefined {
  return position && { ...position, list };
}

function endInList(end: PageEnd, list: string): PageEnd {
  return end.kind === "more" ? { ...end, next: { ...end.next, list } } : end;
}
