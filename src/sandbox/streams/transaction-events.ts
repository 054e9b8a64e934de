import { writeInstant } from "../wire/request-times.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import type { Pool, Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import { compareKeys, inTokens, type Transaction } from "../market/types.ts";
import { type EventSource, makeEvent } from "./served-stream.ts";

/** Swaps, adds and removes (specification, "Transaction" resource), each when it becomes listed. */
export function transactionSource(
  market: Market,
  name: "pool" | "token",
  poolsAt: (at: number) => readonly Pool[],
): EventSource {
  return (from, to) =>
    poolsAt(to)
      .flatMap((pool) => market.arrivals(pool, from, to))
      .toSorted((a, b) => a.since - b.since || byPlace(a.transaction, b.transaction))
      .map(({ transaction, since }) => makeEvent(name, since, writeRow(transaction)));
}

/** Indexes within a block are generated per pool, so two pools on a network may have equal ones. */
function byPlace(a: Transaction, b: Transaction): number {
  return compareKeys(a, b) || a.pool.rank - b.pool.rank;
}

/** The final transactions of from < time <= to, oldest first. */
export function transactionsBetween(
  market: Market,
  pool: Pool,
  from: number,
  to: number,
): readonly Transaction[] {
  return market.transactions(pool, { from: from + 1, to, limit: Number.POSITIVE_INFINITY }).toReversed();
}

/** Wire-facts 5.5: amounts are arbitrarily long integers. USD values are omitted where the service has none. */
function writeRow(row: Transaction): JsonObject {
  const [token0, token1] = row.pool.tokens;
  const usd0 = usdOf(row.amount0, token0, row.price0Usd);
  const usd1 = usdOf(row.amount1, token1, row.price1Usd);
  return {
    chain: row.pool.network.id,
    pool_id: row.pool.id,
    tx_hash: row.id,
    sender: row.sender,
    recipient: row.recipient,
    token_0: token0?.address,
    token_1: token1?.address,
    block_number: String(row.blockNumber),
    block_timestamp: writeInstant(row.time),
    amount_0: row.amount0,
    amount_1: row.amount1,
    amount_0_usd: usd0,
    amount_1_usd: usd1,
    price_0_usd: row.price0Usd,
    price_1_usd: row.price1Usd,
    volume_usd: meanSize(usd0, usd1),
  };
}

function usdOf(amount: bigint, token: Token | undefined, price: number | undefined): number | undefined {
  if (token === undefined || price === undefined) return undefined;
  return inTokens(amount, token) * price;
}

/** The mean of the two sides, or the only side that has a price. */
function meanSize(usd0: number | undefined, usd1: number | undefined): number | undefined {
  if (usd0 === undefined || usd1 === undefined) {
    const known = usd0 ?? usd1;
    return known === undefined ? undefined : Math.abs(known);
  }
  return (Math.abs(usd0) + Math.abs(usd1)) / 2;
}
