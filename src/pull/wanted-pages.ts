import type { Client } from "../client/client.ts";
import type { Page } from "../client/pages/page.ts";
import { type Walk, walkPages } from "../client/pages/pages.ts";
import type { Question } from "../contract/args.ts";
import { firstRows } from "./first-rows.ts";
import { markedCandles } from "./marked-candles.ts";
import type { SeenKeys } from "../client/pages/seen-keys.ts";

/** How much of an answer is wanted, and how closely it is looked at. */
export interface Wish {
  readonly walk: Walk;
  /** Groups to keep, where the endpoint answers with several. */
  readonly groups: readonly string[];
  /** Rows in all; undefined for every row. */
  readonly limit: number | undefined;
  /** Hold every row against the contract. */
  readonly isValidated: boolean;
}

/** Every row once, as many as wanted, checked where that was asked for. */
export async function wantedPages(
  client: Client,
  question: Question,
  wish: Wish,
  seen: SeenKeys,
): Promise<AsyncIterable<Page>> {
  const { endpoint, args } = question;
  const { reply } = endpoint;
  let pages: AsyncIterable<Page> = walkPages(client, endpoint, args, {
    ...wish.walk,
    seen,
  });
  if (reply.kind === "groups") pages = pagesOfGroups(pages, wish.groups);
  if (wish.limit !== undefined) pages = firstRows(pages, wish.limit);
  if (wish.isValidated) {
    // Behind an import: the schemas are a fifth of what a run would load.
    const { validatedPages } = await import("./validated-pages.ts");
    pages = validatedPages(pages, endpoint);
  }
  // Last, so that the contract judges the service's rows and not ours.
  const { candles, start } = wish.walk;
  return candles === undefined ? pages : markedCandles(pages, args, candles, start);
}

async function* pagesOfGroups(pages: AsyncIterable<Page>, groups: readonly string[]): AsyncGenerator<Page> {
  for await (const page of pages) if (groups.includes(page.group)) yield page;
}
