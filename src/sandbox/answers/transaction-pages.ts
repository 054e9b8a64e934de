import { transactionReach } from "../../api/endpoints/pool-transactions.ts";
import { writeInstant } from "../wire/request-times.ts";
import type { Json, JsonObject } from "../wire/json-writer.ts";
import type { Pool } from "../market/pool.ts";
import { inTokens, type Transaction, type TransactionWindow } from "../market/types.ts";
import { invalidParam } from "../wire/service-refusal.ts";
import { type Answer, type Asked, networkOf, pageInfo, poolOf, readPage } from "./answer.ts";

// Specification, endpoint 1: numbered pages end at 100; a `cursor` reaches older transactions.
const LAST_PAGE = 100;

type Window = Pick<TransactionWindow, "from" | "to" | "asOf">;

/** Specification, endpoint 1: newest first. Only a request with `cursor` gets the cursor envelope. */
export const answerPoolTransactions: Answer = (asked) => {
  networkOf(asked);
  const page = readPage(asked.query);
  if (page.page > LAST_PAGE) {
    throw invalidParam("page", `the last page is ${LAST_PAGE}; use cursor for older transactions`);
  }
  const window = readWindow(asked);
  const cursor = asked.query.raw("cursor");
  const pool = poolOf(asked);
  if (cursor !== undefined) return cursorPage(asked, pool, window, cursor, page.limit);
  const { market } = asked;
  const skip = (page.page - 1) * page.limit;
  const total = market.transactionCount(pool, window.from ?? 0, window.to, asked.at);
  const rows = skip >= total ? [] : market.transactions(pool, { ...window, skip, limit: page.limit });
  return { transactions: writeRows(asked, rows), page_info: pageInfo(page, total) };
};

/** Both ends are inclusive, but the public service excludes `to`. A window never extends past the request time. */
function readWindow({ query, at, dialect, market }: Asked): Window {
  const from = query.from("from");
  const isPublic = dialect === "public";
  const to = query.to("to", !isPublic);
  const reach = Math.min(market.reachSeconds, isPublic ? transactionReach : Number.POSITIVE_INFINITY);
  return {
    from: Math.max(from ?? 0, at - reach),
    to: Math.min(to ?? at, at),
    asOf: at,
  };
}

/** An empty cursor returns the first rows. Any other cursor is the ID of the transaction just before the page. */
function cursorPage(asked: Asked, pool: Pool, window: Window, cursor: string, limit: number): Json {
  const { market, at } = asked;
  const before = cursor === "" ? undefined : market.placeOfId(pool, cursor, at);
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
 * Returns the first `limit` rows and any remaining events in the last transaction. A cursor identifies a transaction,
 * so if a page ended within one, the next page would skip or repeat events.
 */
function finishTransaction(
  { market, at }: Asked,
  pool: Pool,
  found: readonly Transaction[],
  limit: number,
): readonly Transaction[] {
  const rows = found.slice(0, limit);
  const id = rows.at(-1)?.id;
  if (id === undefined || found[limit]?.id !== id) return rows;
  return [...rows.filter((row) => row.id !== id), ...market.transactionsWithId(pool, id, at)];
}

function writeRows({ dialect, market, at }: Asked, rows: readonly Transaction[]): readonly JsonObject[] {
  return rows.map((row) =>
    dialect === "spec" ? specifiedTransaction(row) : publicTransaction(row, market.blockHash(row, at)),
  );
}

/** Specification, "Transaction" resource. The two USD prices are omitted if unknown. */
function specifiedTransaction(row: Transaction): JsonObject {
  const [token0, token1] = row.pool.tokens;
  return {
    id: row.id,
    log_index: row.logIndex,
    transaction_index: row.transactionIndex,
    pool_id: row.pool.id,
    sender: row.sender,
    recipient: numericId(row.recipient),
    token_0: token0.address,
    token_0_symbol: token0.symbol,
    token_1: token1.address,
    token_1_symbol: token1.symbol,
    amount_0: String(row.amount0),
    amount_1: String(row.amount1),
    price_0: row.price0,
    price_1: row.price1,
    price_0_usd: row.price0Usd,
    price_1_usd: row.price1Usd,
    created_at_block_number: row.blockNumber,
    created_at: writeInstant(row.time),
  };
}

/** Wire-facts 4.6. Amounts are arbitrarily long integers. */
function publicTransaction(row: Transaction, blockHash: string): JsonObject {
  const [token0, token1] = row.pool.tokens;
  // For each row, so not a leading spread; see the decisions in docs/architecture.md.
  return Object.assign(specifiedTransaction(row), {
    factory_id: row.pool.dex.factoryId,
    chain: row.pool.network.id,
    recipient: row.recipient,
    amount_0: row.amount0,
    amount_1: row.amount1,
    volume_0: Math.abs(inTokens(row.amount0, token0)),
    volume_1: Math.abs(inTokens(row.amount1, token1)),
    created_at_block_hash: blockHash,
    canonical_chain: true,
  });
}

/** The specification types `recipient` as a number, "address or numeric id". A double represents this one exactly. */
function numericId(address: string): number {
  let [high, low] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < address.length; index++) {
    const code = address.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ high ^ code, 0x85ebca6b);
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}
