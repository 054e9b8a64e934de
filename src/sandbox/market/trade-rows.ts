import { DAY, LAST_DAY, type MarketPool } from "./pool-catalogue.ts";
import { hash, toUnit } from "./hash.ts";

/** One UTC day's transactions, oldest first, as WIDTH numbers each. Thousands of objects would cost too much. */
export interface TradeDay {
  readonly count: number;
  /** The second of the day at which the first slot starts. */
  readonly from: number;
  /** Seconds per slot. Each row has one slot. */
  readonly slot: number;
  readonly rows: Float64Array;
  readonly totals: DayTotals;
}

export interface DayTotals {
  readonly volumeUsd: number;
  readonly buyUsd: number;
  readonly buys: number;
  readonly swaps: number;
  readonly txns: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export const WIDTH = 7;
export const Column = {
  /** Seconds since midnight UTC. */
  second: 0,
  /** The price of token0 in token1 after the transaction. */
  price: 1,
  /** Unsigned raw units with double precision. */
  raw0: 2,
  raw1: 3,
  /** USD prices after the transaction. The market has them even where the service returns none. */
  usd0: 4,
  usd1: 5,
  flags: 6,
} as const;

/** A row without `buy`, `add` and `remove` is a swap that sells token0. */
export const Flag = {
  buy: 1,
  add: 2,
  remove: 4,
  /** Belongs to the same transaction as the previous row. */
  follows: 8,
  /** The service returns no USD value for this row. */
  noUsd: 16,
  liquidity: 6,
} as const;

export interface TradeBook {
  readonly day: (pool: MarketPool, day: number) => TradeDay;
  readonly totals: (pool: MarketPool, day: number) => DayTotals;
}

export const NO_TRADES: TradeDay = {
  count: 0,
  from: 0,
  slot: 1,
  rows: new Float64Array(0),
  totals: { volumeUsd: 0, buyUsd: 0, buys: 0, swaps: 0, txns: 0, open: 0, high: 0, low: 0, close: 0 },
};

/** The row must exist. */
export function cell(trades: TradeDay, row: number, column: number): number {
  return trades.rows[row * WIDTH + column] ?? Number.NaN;
}

/**
 * Returns -1 if there is none. Row k is in the day's slot k, but may be moved back to the time of its block or
 * transaction, so the result is at most a few rows away from the slot for that second.
 */
export function lastRowAt(trades: TradeDay, second: number): number {
  let row = Math.min(trades.count - 1, Math.max(-1, Math.floor((second - trades.from) / trades.slot)));
  while (row + 1 < trades.count && cell(trades, row + 1, Column.second) <= second) row += 1;
  while (row >= 0 && cell(trades, row, Column.second) > second) row -= 1;
  return row;
}

export function isSwap(trades: TradeDay, row: number): boolean {
  return (cell(trades, row, Column.flags) & Flag.liquidity) === 0;
}

/** `day` counts days since 1970 in UTC. */
export function dayKey(pool: MarketPool, day: number): number {
  return hash(pool.key, day);
}

/** DAY or more if the pool does not exist yet. */
export function tradesFromSecond(pool: MarketPool, day: number): number {
  return Math.max(0, pool.tradesFrom - day * DAY);
}

/** Does not generate the transactions, so deep pages can skip entire days. */
export function countTrades(pool: MarketPool, day: number): number {
  const from = tradesFromSecond(pool, day);
  if (from >= DAY || day > LAST_DAY) return 0;
  const key = dayKey(pool, day);
  const mood = 0.75 + 0.5 * toUnit(hash(key, -1));
  return Math.floor(pool.tradesPerDay * mood * (1 - from / DAY) + toUnit(hash(key, -2)));
}

/** The larger side of the swap at index `at`, or 0 where the service has no value. */
export function rowVolume(pool: MarketPool, rows: Float64Array, at: number): number {
  if (((rows[at + Column.flags] ?? 0) & Flag.noUsd) !== 0) return 0;
  const side0 = pool.token0.isPriced
    ? ((rows[at + Column.raw0] ?? 0) / pool.token0.unit) * (rows[at + Column.usd0] ?? 0)
    : 0;
  const side1 = pool.token1.isPriced
    ? ((rows[at + Column.raw1] ?? 0) / pool.token1.unit) * (rows[at + Column.usd1] ?? 0)
    : 0;
  return side0 > side1 ? side0 : side1;
}
