import { writeInstant } from "../wire/request-times.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import type { Pool, Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import { compareKeys, inTokens, type Transaction } from "../market/types.ts";
import { type EventSource, makeEvent } from "./served-stream.ts";
import type { Dialect } from "../sandbox-exchange.ts";
import { candleSource } from "./candle-events.ts";
import { shiftDecimal } from "../../base/json/exact-decimal.ts";
import type { StreamInterval } from "../../api/feeds.ts";

export type Subject =
  | { readonly method: "pool" | "pool_reserves"; readonly pool: Pool }
  | { readonly method: "token_ohlcv"; readonly token: Token; readonly interval: StreamInterval }
  | {
      readonly method: "token_price" | "t_p" | "token" | "token_reserves";
      readonly token: Token;
    };

/** Equal subscriptions have the same key, so their events are created only once. */
export function subjectKey(subject: Subject): string {
  const { network } = "pool" in subject ? subject.pool : subject.token;
  const id = "pool" in subject ? subject.pool.id : subject.token.address;
  const interval = "interval" in subject ? subject.interval : "";
  return [subject.method, interval, network.id, id].join(" ");
}

/** `at` is when the stream opens, in Unix seconds. */
export function sourceOf(subject: Subject, market: Market, dialect: Dialect, at: number): EventSource {
  switch (subject.method) {
    case "token_price":
    case "t_p":
      return priceSource(market, subject.token, at, subject.method, dialect);
    case "pool":
      return transactionSource(market, "pool", () => [subject.pool]);
    case "token":
      return transactionSource(market, "token", (time) => market.poolsOfToken(subject.token, time));
    case "token_ohlcv":
      return candleSource(market, subject.token, subject.interval);
    case "pool_reserves":
      return poolReserveSource(market, subject.pool);
    case "token_reserves":
      return tokenReserveSource(market, subject.token);
  }
}

/** Swaps, adds and removes (specification, "Transaction" resource), each when it becomes listed. */
function transactionSource(
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
function transactionsBetween(market: Market, pool: Pool, from: number, to: number): readonly Transaction[] {
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
    token_0: token0.address,
    token_1: token1.address,
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

function usdOf(amount: bigint, token: Token, price: number | undefined): number | undefined {
  return price === undefined ? undefined : inTokens(amount, token) * price;
}

/** The mean of the two sides, or the only side that has a price. */
function meanSize(usd0: number | undefined, usd1: number | undefined): number | undefined {
  if (usd0 === undefined || usd1 === undefined) {
    const known = usd0 ?? usd1;
    return known === undefined ? undefined : Math.abs(known);
  }
  return (Math.abs(usd0) + Math.abs(usd1)) / 2;
}

/**
 * Specification, "Streaming": an update is sent only if a swap in the pool that prices the token moves the price. The
 * price equals that from `multi/prices` in the same second, after all of that second's swaps. `at` is when the stream
 * opens, in Unix seconds.
 */
function priceSource(
  market: Market,
  token: Token,
  at: number,
  method: "token_price" | "t_p",
  dialect: Dialect,
): EventSource {
  // Pools are ordered by rank, and the first one always prices the token.
  const [pool] = market.poolsOfToken(token, at);
  if (pool === undefined) return () => [];
  const write = method === "t_p" ? writeLegacyPrice : writePrice;
  return (from, to) => {
    const swaps = transactionsBetween(market, pool, from, to).filter(({ kind }) => kind === "swap");
    const seconds = new Set(swaps.map(({ time }) => time));
    if (seconds.size === 0) return [];
    let before = market.tokenPriceUsd(token, from);
    return [...seconds].flatMap((time) => {
      const price = market.tokenPriceUsd(token, time);
      if (price === undefined || price === before) return [];
      before = price;
      return [makeEvent(method, time, write(token, plainDecimal(price), time, dialect))];
    });
  };
}

/** Specification, Streaming: `p` is a string. Wire-facts 5.5: the last three fields contain the same time. */
function writePrice({ address, network }: Token, price: string, time: number, dialect: Dialect): JsonObject {
  return {
    address,
    chain: network.id,
    p: dialect === "spec" ? price : undefined,
    price,
    timestamp: time,
    timestamp_price: time,
    token_price: time,
  };
}

/** The older format, which the public service still supports. */
function writeLegacyPrice({ address, network }: Token, price: string, time: number): JsonObject {
  return { a: address, c: network.id, p: price, t: time, t_p: time };
}

/** Uses no exponent and loses no digits, so a streamed `p` equals the `price_usd` from `multi/prices`. */
export function plainDecimal(value: number): string {
  return shiftDecimal(String(value), 0) ?? "";
}

/** Wire-facts 5.5; not in the specification. A delta is the change since the previous block. */
function poolReserveSource(market: Market, pool: Pool): EventSource {
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

/** The events have no nested tokens, but totals across all of the token's pools. */
function tokenReserveSource(market: Market, token: Token): EventSource {
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
