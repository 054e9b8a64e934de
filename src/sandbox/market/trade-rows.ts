import type { MarketPool } from "./catalogue.ts";

/**
 * One pool's transactions of one UTC day, ascending. A row of WIDTH numbers each, in one array: a busy day is
 * thousands of rows, and an object each would cost more than all the rest.
 */
export interface TradeDay {
  readonly count: number;
  /** Second of the day at which the slots of the rows begin. */
  readonly from: number;
  /** Seconds of a slot; each row has one. */
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

export const WIDTH = 7;
/** Seconds since midnight UTC. */
export const SECOND = 0;
/** token0 in units of token1, after the transaction. */
export const PRICE = 1;
/** Raw units, unsigned, as far as a double holds them. */
export const RAW0 = 2;
export const RAW1 = 3;
/** USD prices of the tokens after the transaction; the market has them even where the service shows none. */
export const USD0 = 4;
export const USD1 = 5;
export const FLAGS = 6;

/** None of the three: a swap that sells token0. */
export const BUY = 1;
export const ADD = 2;
export const REMOVE = 4;
/** In the same transaction as the row before. */
export const FOLLOWS = 8;
/** The service has no USD value for it. */
export const NO_USD = 16;
export const LIQUIDITY = ADD | REMOVE;

/** Days of trades, made when first asked for and kept for a while. */
export interface TradeBook {
  readonly day: (pool: MarketPool, day: number) => TradeDay;
  readonly totals: (pool: MarketPool, day: number) => DayTotals;
}

const NO_TOTALS: DayTotals = {
  volumeUsd: 0,
  buyUsd: 0,
  buys: 0,
  swaps: 0,
  txns: 0,
  open: 0,
  high: 0,
  low: 0,
  close: 0,
};
export const NO_TRADES: TradeDay = {
  count: 0,
  from: 0,
  slot: 1,
  rows: new Float64Array(0),
  totals: NO_TOTALS,
};

/** A cell of a row; the row must exist. */
export function cell(trades: TradeDay, row: number, column: number): number {
  return trades.rows[row * WIDTH + column] ?? Number.NaN;
}

/**
 * The last row at or before the second of the day, -1 for none. Row k falls into the k-th slot of the day, moved
 * back to its block or to the transaction it follows: so the row is a step or two from the slot of the second.
 */
export function lastRowAt(trades: TradeDay, second: number): number {
  let row = Math.min(trades.count - 1, Math.max(-1, Math.floor((second - trades.from) / trades.slot)));
  while (row + 1 < trades.count && cell(trades, row + 1, SECOND) <= second) row += 1;
  while (row >= 0 && cell(trades, row, SECOND) > second) row -= 1;
  return row;
}

export function isSwap(trades: TradeDay, row: number): boolean {
  return (cell(trades, row, FLAGS) & LIQUIDITY) === 0;
}
