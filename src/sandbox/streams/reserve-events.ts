import type { JsonObject } from "../wire/json-writer.ts";
import type { Pool, Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import { inTokens, type Transaction } from "../market/types.ts";
import { type EventSource, makeEvent } from "./served-stream.ts";
import { transactionsBetween } from "./transaction-events.ts";

/** Wire-facts 5.5; not in the specification. A delta is the change since the previous block. */
export function poolReserveSource(market: Market, pool: Pool): EventSource {
  return (from, to) =>
    newestBySecond(transactionsBetween(market, pool, from, to)).map((row) => {
      const [previous] = market.transactions(pool, { to: row.time - 1, limit: 1 });
      const tokens = pool.tokens.map((token) => {
        const share = (at: number): number => market.poolLiquidityUsd(pool, at) / pool.tokens.length;
        return { token_id: token.address, ...writeReserve(market, token, share, row.time, previous?.time) };
      });
      const total = market.poolLiquidityUsd(pool, row.time);
      return makeEvent("pool_reserves", row.time, {
        chain: pool.network.id,
        pool_id: pool.id,
        block: String(row.blockNumber),
        previous_block: previous === undefined ? undefined : String(previous.blockNumber),
        tokens,
        total_reserve_usd: total,
        total_delta_usd:
          total - (previous === undefined ? total : market.poolLiquidityUsd(pool, previous.time)),
        timestamp: row.time,
        block_timestamp: row.time,
      });
    });
}

/** Has no nested tokens, but totals across all of the token's pools. */
export function tokenReserveSource(market: Market, token: Token): EventSource {
  const share = (at: number): number => market.tokenLiquidityUsd(token, at);
  return (from, to) => {
    // Within a second, the last row is the newest one of the least busy pool.
    const rows = market
      .poolsOfToken(token, to)
      .flatMap((pool) => transactionsBetween(market, pool, from, to))
      .toSorted((a, b) => a.time - b.time);
    return newestBySecond(rows).map((row) =>
      makeEvent("token_reserves", row.time, {
        chain: token.network.id,
        token_id: token.address,
        block: String(row.blockNumber),
        ...writeReserve(market, token, share, row.time, row.time - 1),
        updated_at: row.time,
        timestamp: row.time,
      }),
    );
  };
}

/** `share` returns the USD value of the token's reserve at a given time. */
function writeReserve(
  market: Market,
  token: Token,
  share: (at: number) => number,
  at: number,
  before: number | undefined,
): JsonObject {
  const price = market.tokenPriceUsd(token, at) ?? 0;
  const reserve = rawUnits(market, token, share, at);
  const delta = before === undefined ? 0n : reserve - rawUnits(market, token, share, before);
  return {
    reserve: String(reserve),
    delta: String(delta),
    price_usd: price,
    reserve_usd: share(at),
    delta_usd: inTokens(delta, token) * price,
  };
}

function rawUnits(market: Market, token: Token, share: (at: number) => number, at: number): bigint {
  const price = market.tokenPriceUsd(token, at);
  return price === undefined ? 0n : BigInt(Math.round((share(at) / price) * 10 ** token.decimals));
}

/** The rows must be in chronological order. */
function newestBySecond(rows: readonly Transaction[]): readonly Transaction[] {
  return rows.filter((row, index) => rows[index + 1]?.time !== row.time);
}
