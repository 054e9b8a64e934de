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
  const found = market.transactions(pool, { ...window, before, limit: limit + 1 });
  const rows = finishTransaction(asked, pool, found, limit);
  const last = rows.at(-1);
  const hasMore =
    rows.length <= limit
      ? found.length > limit
      : market.transactions(pool, { ...window, before: last, limit: 1 }).length > 0;
  return {
    transactions: writeRows(asked, rows),
    page_info: { next_cursor: hasMore ? (last?.id ?? "") : "", limit },
  };
}

/**
 * The first `limit` rows and, beyond them, the other events of the last transaction: a cursor names a transaction, so a
 * page that ended within one would lose its remaining events or repeat the first ones.
 */
function finishTransaction(
  { market, at }: Asked,
  pool: PoolFacts,
  found: readonly Transaction[],
  limit: number,
): readonly Transaction[] {
  const rows = found.slice(0, limit);
  const id = rows.at(-1)?.id;
  if (id === undefined || found[limit]?.id !== id) return rows;
  return [...rows.filter((row) => row.id !== id), ...market.transactionsWithId(pool, id, at)];
}

function writeRows({ dialect, market }: Asked, rows: readonly Transaction[]): readonly JsonObject[] {
  return rows.map((row) => {
    const createdAt = writeInstant(row.time);
    return dialect === "spec"
      ? specifiedTransaction(row, createdAt)
      : publicTransaction(market, row, createdAt);
  });
}
