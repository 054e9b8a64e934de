import { writeInstant } from "../instant.ts";
import type { Json, JsonObject } from "../json-writer.ts";
import type { PoolFacts, Transaction } from "../market/types.ts";
import { invalidParam } from "../refusal.ts";
import { type Answer, type Asked, networkOf, poolOf } from "./answer.ts";
import { pageInfo, readPage } from "./numbered-page.ts";
import { publicTransaction, specifiedTransaction } from "./transaction-rows.ts";

// Specification, endpoint 1: page style reaches 100 pages, `cursor` goes deeper.
const LAST_PAGE = 100;
// Wire-facts 4.6: the public service never looks further back.
const PUBLIC_REACH_SECONDS = 7 * 86_400;

interface Window {
  readonly from: number | undefined;
  readonly to: number;
}

/** Specification, endpoint 1: newest first. A request with `cursor` gets the cursor envelope, any other the page one. */
export const answerPoolTransactions: Answer = (asked) => {
  networkOf(asked);
  const page = readPage(asked.query);
  if (page.page > LAST_PAGE) {
    throw invalidParam("page", `pages end at ${LAST_PAGE}; use cursor for what lies deeper`);
  }
  const window = readWindow(asked);
  const cursor = asked.query.raw("cursor");
  const pool = poolOf(asked);
  if (cursor !== undefined) return cursorPage(asked, pool, window, cursor, page.limit);
  const { market } = asked;
  const skip = (page.page - 1) * page.limit;
  const total = market.transactionCount(pool, window.from ?? 0, window.to);
  const rows = skip >= total ? [] : market.transactions(pool, { ...window, skip, limit: page.limit });
  return { transactions: writeRows(asked, rows), page_info: pageInfo(page, total) };
};

/** Both bounds inclusive; nothing later than the request shows. The public service leaves `to` out. */
function readWindow({ query, at, dialect }: Asked): Window {
  const from = query.from("from");
  const to = query.to("to");
  if (dialect === "spec") return { from, to: Math.min(to ?? at, at) };
  return {
    from: Math.max(from ?? 0, at - PUBLIC_REACH_SECONDS),
    to: Math.min(to === undefined ? at : to - 1, at),
  };
}

/** An empty cursor gives the first set; any other is the id of a transaction of this pool, and rows after it follow. */
function cursorPage(asked: Asked, pool: PoolFacts, window: Window, cursor: string, limit: number): Json {
  const { market, at } = asked;
  const before = cursor === "" ? undefined : market.transactionsWithId(pool, cursor, at).at(-1);
  if (cursor !== "" && before === undefined)
    throw invalidParam("cursor", "must be the id of a transaction of the pool");
  const rows = market.transactions(pool, { ...window, before, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const nextCursor = rows.length > limit ? lastWholeId(shown, rows.at(-1)) : "";
  return { transactions: writeRows(asked, shown), page_info: { next_cursor: nextCursor, limit } };
}

/**
 * Where a transaction's events lie on both sides of the page's edge, the cursor is the one before it: the next page
 * then shows its events once more, instead of losing some.
 */
function lastWholeId(shown: readonly Transaction[], next: Transaction | undefined): string {
  const whole = shown.findLast((row) => row.id !== next?.id);
  return (whole ?? shown.at(-1))?.id ?? "";
}

function writeRows({ dialect, market }: Asked, rows: readonly Transaction[]): readonly JsonObject[] {
  return rows.map((row) => {
    const createdAt = writeInstant(row.time);
    return dialect === "spec"
      ? specifiedTransaction(row, createdAt)
      : publicTransaction(market, row, createdAt);
  });
}
