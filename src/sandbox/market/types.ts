import type { Pool, Token } from "./pool.ts";

export interface TransactionWindow {
  readonly from?: number | undefined;
  readonly to: number;
  readonly before?: TransactionKey | undefined;
  readonly skip?: number | undefined;
  readonly limit: number;
  /** The time of the request. Undefined returns the final transactions, whatever the market's faults. */
  readonly asOf?: number | undefined;
}

/** Determines the order within a pool. */
export interface TransactionKey {
  readonly blockNumber: number;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

export interface Transaction extends TransactionKey {
  readonly kind: "swap" | "add" | "remove";
  readonly pool: Pool;
  /** All events in a transaction have the same hash. */
  readonly id: string;
  readonly time: number;
  readonly sender: string;
  readonly recipient: string;
  /** Signed raw units. In a swap, the two amounts have opposite signs. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly price0: number;
  readonly price1: number;
  /** Undefined if the service has no USD value. */
  readonly price0Usd: number | undefined;
  readonly price1Usd: number | undefined;
}

/** A swap in USD, in a form in which it is listed: since <= time of the response < until. */
export interface PricedSwap {
  readonly time: number;
  readonly since: number;
  /** Infinity for the final form. */
  readonly until: number;
  readonly price: number;
  readonly volumeUsd: number;
}

export interface CandleWindow {
  readonly from: number;
  readonly to: number;
  readonly intervalSeconds: number;
  /** Pass the request time, because the market also contains the future. */
  readonly asOf?: number | undefined;
}

export interface Candle {
  readonly timeOpen: number;
  readonly timeClose: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** USD, rounded to the nearest dollar. */
  readonly volume: number;
}

export function inTokens(amount: bigint, token: Token): number {
  return Number(amount) / 10 ** token.decimals;
}

export function compareKeys(a: TransactionKey, b: TransactionKey): number {
  return a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.logIndex - b.logIndex;
}
