import type { Faults } from "../fault-kinds.ts";
import type { Work } from "../work.ts";
import type { NetworkFacts } from "../well-known.ts";
import type { DexFacts } from "./names.ts";
import type { Pool, Token } from "./pool.ts";

/**
 * Everything is a pure function of seed and time, so the same request has the same result in any process. Times are in
 * Unix seconds. Trades and blocks occur on full seconds.
 */
export interface Market {
  readonly seed: number;
  /** The faults through which rows are seen; empty for the final market. */
  readonly faultName: string;
  /** The same market as a service with these faults shows it. Prices, liquidity and reserves are not affected. */
  readonly withFaults: (faults: Faults) => Market;
  /** The age of the oldest transaction that is listed. May be Infinity. */
  readonly reachSeconds: number;
  readonly networks: readonly NetworkFacts[];
  readonly network: (slug: string) => NetworkFacts | undefined;
  /** Creates the network's pools and tokens, which otherwise happens all at once when they are first needed. */
  readonly prepare: (network: NetworkFacts) => Work<void>;
  /** Also makes all IDs and addresses, so that a pool or token can be found by them. */
  readonly prepareLookups: (network: NetworkFacts) => Work<void>;
  readonly dexes: (network: NetworkFacts) => readonly DexFacts[];
  /** All pools that are listed at `at`, busiest first. The array is shared and must not be modified. */
  readonly pools: (network: NetworkFacts, at: number) => readonly Pool[];
  readonly tokens: (network: NetworkFacts, at: number) => readonly Token[];
  /** EVM addresses match regardless of case, and other addresses only exactly. */
  readonly pool: (network: NetworkFacts, id: string, at: number) => Pool | undefined;
  readonly token: (network: NetworkFacts, address: string, at: number) => Token | undefined;
  readonly poolsOfToken: (token: Token, at: number) => readonly Pool[];

  /** The price and time of the newest trade at or before `at`. */
  readonly poolPrice: (pool: Pool, at: number) => PoolPrice;
  readonly poolLiquidityUsd: (pool: Pool, at: number) => number;
  /** Covers `at - seconds < time <= at`. */
  readonly poolActivity: (pool: Pool, at: number, seconds: number) => Activity;
  /** Percent; null if there were no swaps in the window. The price is that of token0 in USD. */
  readonly poolPriceChange: (pool: Pool, at: number, seconds: number) => number | null;

  /** Undefined for a token without a price. */
  readonly tokenPriceUsd: (token: Token, at: number) => number | undefined;
  readonly tokenLiquidityUsd: (token: Token, at: number) => number;
  readonly tokenActivity: (token: Token, at: number, seconds: number) => Activity;
  readonly tokenPriceChange: (token: Token, at: number, seconds: number) => number | null;

  /** At most `limit` transactions within [from, to], newest first. With `before`, only those strictly before it. */
  readonly transactions: (pool: Pool, window: TransactionWindow) => readonly Transaction[];
  /** Both ends are inclusive. `asOf` as in `TransactionWindow`. */
  readonly transactionCount: (pool: Pool, from: number, to: number, asOf?: number) => number;
  /** Newest first; empty if there are none. */
  readonly transactionsWithId: (pool: Pool, id: string, asOf: number) => readonly Transaction[];
  /** The oldest event of a transaction, even if it was withdrawn. */
  readonly placeOfId: (pool: Pool, id: string, asOf: number) => TransactionKey | undefined;

  readonly blockHash: (transaction: Transaction, asOf?: number) => string;

  // For streams; all cover after < time <= to.
  /** All forms in which transactions with these times are ever listed, oldest first. */
  readonly showings: (pool: Pool, after: number, to: number) => readonly Showing[];
  /** All forms that become listed in this span, first those that do so first. */
  readonly arrivals: (pool: Pool, after: number, to: number) => readonly Showing[];
  /** The times of transactions that, in this span, become listed late or stop being listed. */
  readonly revised: (pool: Pool, after: number, to: number) => readonly number[];

  /** In ascending order, with from <= time_open < to. Intervals without a swap have no candle. */
  readonly poolCandles: (pool: Pool, window: CandleWindow) => readonly Candle[];
  /** In USD, across all of the token's pools. */
  readonly tokenCandles: (token: Token, window: CandleWindow) => Work<readonly Candle[]>;
}

export interface PoolPrice {
  /** The price of token0 in token1. */
  readonly price: number;
  /** The USD price of token0. */
  readonly priceUsd: number;
  /** When the newest trade took place, or when the pool was created if it has no trades. */
  readonly time: number;
}

export interface Activity {
  readonly volumeUsd: number;
  readonly buyUsd: number;
  readonly sellUsd: number;
  readonly buys: number;
  readonly sells: number;
  /** The number of swaps, adds and removes. Only swaps count as buys or sells. */
  readonly txns: number;
}

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

/** A form in which a transaction is listed, and when: since <= time of the response < until. */
export interface Showing {
  readonly transaction: Transaction;
  readonly since: number;
  /** Infinity for the final form. */
  readonly until: number;
  /** The time of the final form, whose prices all forms have. */
  readonly pricedAt: number;
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

export function inTokens(amount: bigint, token: Token | undefined): number {
  return Number(amount) / 10 ** (token?.decimals ?? 0);
}

export function compareKeys(a: TransactionKey, b: TransactionKey): number {
  return a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.logIndex - b.logIndex;
}
