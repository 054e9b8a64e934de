import { DAY, LAST_DAY, type MarketPool } from "./pool-catalogue.ts";
import { hash, toUnit } from "./hash.ts";

/**
 * The transactions of one pool on one UTC day, oldest first. Each row is WIDTH numbers in one array. A busy day has
 * thousands of rows, and an object for each would cost more than everything else.
 */
export interface TradeDay {
  readonly count: number;
  /** Second of the day at which the first slot starts. */
  readonly from: number;
  /** Seconds per slot. Each row has one slot. */
  readonly slot: number;
  readonly rows: Float64Array;
  readonly totals: DayTotals;
}

/** Sums over the transactions of a day, and the open, high, low and close price of its swaps. */
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

/** Number of values in a row, and the index of each value. */
export const WIDTH = 7;
export const Column = {
  /** Seconds since midnight UTC. */
  second: 0,
  /** Price of token0 in units of token1, after the transaction. */
  price: 1,
  /** Amounts in raw units without a sign, with the precision of a double. */
  raw0: 2,
  raw1: 3,
  /** USD prices of the tokens after the transaction. The market has them even where the service returns none. */
  usd0: 4,
  usd1: 5,
  flags: 6,
} as const;

/** Flags of a row. A row without `buy`, `add` and `remove` is a swap that sells token0. */
export const Flag = {
  buy: 1,
  add: 2,
  remove: 4,
  /** Belongs to the same transaction as the previous row. */
  follows: 8,
  /** The service returns no USD value for this row. */
  noUsd: 16,
  /** A mask for `add` and `remove`. */
  liquidity: 6,
} as const;

/** Returns trades by day. Days are generated on first use and cached for a while. */
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

/** Returns a cell of a row. The row must exist. */
export function cell(trades: TradeDay, row: number, column: number): number {
  return trades.rows[row * WIDTH + column] ?? Number.NaN;
}

/**
 * Returns the last row at or before a second of the day, or -1 if there is none. Row k is in slot k of the day, but may
 * be moved back to the time of its block or of the transaction it belongs to. The result is therefore at most a few
 * rows away from the slot for that second.
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

/** Returns the hash key for all events of the pool on a UTC day. `day` counts days since 1970. */
export function dayKey(pool: MarketPool, day: number): number {
  return hash(pool.key, day);
}

/** Returns the second of the day at which the pool starts to trade; DAY or more if the pool does not exist yet. */
export function tradesFromSecond(pool: MarketPool, day: number): number {
  return Math.max(0, pool.tradesFrom - day * DAY);
}

/** Returns the number of transactions on a day without generating them. Deep pages skip entire days this way. */
export function countTrades(pool: MarketPool, day: number): number {
  const from = tradesFromSecond(pool, day);
  if (from >= DAY || day > LAST_DAY) return 0;
  const key = dayKey(pool, day);
  const mood = 0.75 + 0.5 * toUnit(hash(key, -1));
  return Math.floor(pool.tradesPerDay * mood * (1 - from / DAY) + toUnit(hash(key, -2)));
}

/**
 * Returns the USD value of the swap whose row starts at index `at`: the larger of its two sides, or 0 where the service
 * has no value.
 */
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
