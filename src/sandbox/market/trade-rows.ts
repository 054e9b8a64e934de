import { DAY, LAST_DAY, type MarketPool } from "./pool-catalogue.ts";
import { hash, toUnit } from "./hash.ts";

/**
 * One pool's transactions of one UTC day, ascending. Each row is WIDTH numbers of one array: a busy day has thousands
 * of rows, and an object per row would cost more than everything else.
 */
export interface TradeDay {
  readonly count: number;
  /** Second of the day at which the rows' slots begin. */
  readonly from: number;
  /** Seconds per slot; each row has one slot. */
  readonly slot: number;
  readonly rows: Float64Array;
  readonly totals: DayTotals;
}

/** Sums over the day's transactions, and the course of the pool's price over its swaps. */
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

/** Numbers in a row, and the place of each. */
export const WIDTH = 7;
export const Column = {
  /** Seconds since midnight UTC. */
  second: 0,
  /** token0 in units of token1, after the transaction. */
  price: 1,
  /** Raw units, unsigned, as precise as a double. */
  raw0: 2,
  raw1: 3,
  /** USD prices of the tokens after the transaction; the market has them even where the service shows none. */
  usd0: 4,
  usd1: 5,
  flags: 6,
} as const;

/** A row without `buy`, `add` and `remove` is a swap that sells token0. */
export const Flag = {
  buy: 1,
  add: 2,
  remove: 4,
  /** In the same transaction as the row before. */
  follows: 8,
  /** The service has no USD value for it. */
  noUsd: 16,
  /** An add or a remove. */
  liquidity: 6,
} as const;

/** Days of trades, generated on first use and cached for a while. */
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

/** A cell of a row; the row must exist. */
export function cell(trades: TradeDay, row: number, column: number): number {
  return trades.rows[row * WIDTH + column] ?? Number.NaN;
}

/**
 * The last row at or before the second of the day, -1 for none. Row k is in the k-th slot of the day, moved back to
 * its block or to the transaction it follows, so the row is a step or two away from the slot of the second.
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

/** The hash key of everything that happens in the pool on that UTC day (days since 1970). */
export function dayKey(pool: MarketPool, day: number): number {
  return hash(pool.key, day);
}

/** Seconds since midnight from which the pool trades on that day; DAY or more before it exists. */
export function tradesFromSecond(pool: MarketPool, day: number): number {
  return Math.max(0, pool.tradesFrom - day * DAY);
}

/** Number of transactions on the day, without generating them: deep pages count entire days this way. */
export function countTrades(pool: MarketPool, day: number): number {
  const from = tradesFromSecond(pool, day);
  if (from >= DAY || day > LAST_DAY) return 0;
  const key = dayKey(pool, day);
  const mood = 0.75 + 0.5 * toUnit(hash(key, -1));
  return Math.floor(pool.tradesPerDay * mood * (1 - from / DAY) + toUnit(hash(key, -2)));
}

/** USD value of the swap at the row's first cell: the larger of its two sides; 0 where the service has none. */
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
