/**
 * The sandbox's generated market. Everything is a pure function of (seed, time): the same request about the same time has
 * the same result in any process. Times are unix seconds; trades and blocks are on full seconds.
 */
export interface Market {
  readonly seed: number;
  readonly networks: readonly NetworkFacts[];
  readonly network: (slug: string) => NetworkFacts | undefined;
  readonly dexes: (network: NetworkFacts) => readonly DexFacts[];
  /** Every pool of the network that exists at `at`, busiest first; the array is shared, do not change it. */
  readonly pools: (network: NetworkFacts, at: number) => readonly PoolFacts[];
  readonly tokens: (network: NetworkFacts, at: number) => readonly TokenFacts[];
  /** EVM addresses match in any letter case, others exactly. */
  readonly pool: (network: NetworkFacts, id: string, at: number) => PoolFacts | undefined;
  readonly token: (network: NetworkFacts, address: string, at: number) => TokenFacts | undefined;
  readonly poolsOfToken: (token: TokenFacts, at: number) => readonly PoolFacts[];

  /** Price and last trade: the state after the newest trade at or before `at`. */
  readonly poolPrice: (pool: PoolFacts, at: number) => PoolPrice;
  readonly poolLiquidityUsd: (pool: PoolFacts, at: number) => number;
  /** Sums over the pool's transactions with `at - seconds < time <= at`. */
  readonly poolActivity: (pool: PoolFacts, at: number, seconds: number) => Activity;
  /** The activity's `priceChange`, without its sums. */
  readonly poolPriceChange: (pool: PoolFacts, at: number, seconds: number) => number | null;

  /** USD price every endpoint shows for the token; undefined where the service has none (an unpriced token). */
  readonly tokenPriceUsd: (token: TokenFacts, at: number) => number | undefined;
  readonly tokenLiquidityUsd: (token: TokenFacts, at: number) => number;
  readonly tokenActivity: (token: TokenFacts, at: number, seconds: number) => Activity;
  /** The activity's `volumeUsd`, faster for windows of several days. */
  readonly tokenVolumeUsd: (token: TokenFacts, at: number, seconds: number) => number;

  /** Newest first, strictly below `before` where given, within [from, to], at most `limit`. */
  readonly transactions: (pool: PoolFacts, window: TransactionWindow) => readonly Transaction[];
  /** Number of transactions with from <= time <= to. */
  readonly transactionCount: (pool: PoolFacts, from: number, to: number) => number;
  /** The transactions of the pool that share the id, newest first; empty when the pool has none. */
  readonly transactionsWithId: (pool: PoolFacts, id: string, to: number) => readonly Transaction[];

  readonly blockHash: (transaction: Transaction) => string;

  /** Folded from the pool's swaps with from <= time_open < to, ascending, no candle for an interval without a swap. */
  readonly poolCandles: (pool: PoolFacts, window: CandleWindow) => readonly Candle[];
  /** In USD, over all pools of the token. */
  readonly tokenCandles: (token: TokenFacts, window: CandleWindow) => readonly Candle[];
}

export type AddressFamily = "evm" | "solana" | "sui" | "aptos" | "tron" | "ton";

export interface NetworkFacts {
  /** The slug. */
  readonly id: string;
  readonly displayName: string;
  readonly addressFamily: AddressFamily;
  readonly blockSeconds: number;
}

export interface DexFacts {
  readonly network: NetworkFacts;
  readonly dexId: string;
  readonly dexName: string;
  readonly protocol: string;
  /** Factory or program address. */
  readonly factoryId: string;
}

export interface TokenFacts {
  readonly network: NetworkFacts;
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Raw units; several pass 2^53. */
  readonly totalSupply: bigint;
  readonly description: string;
  readonly website: string;
  readonly explorer: string;
  readonly hasImage: boolean;
  readonly addedAt: number;
  readonly createdAt: number;
}

export interface PoolFacts {
  readonly network: NetworkFacts;
  readonly id: string;
  readonly dex: DexFacts;
  /** Two tokens, rarely three; the first is base, the second quote. */
  readonly tokens: readonly TokenFacts[];
  /** Percent; null where the service did not collect it. */
  readonly fee: number | null;
  readonly createdAt: number;
  readonly createdAtBlockNumber: number;
  /** 1 for the network's busiest pool; it trades about 4,000 / rank times a day. */
  readonly rank: number;
}

export interface PoolPrice {
  /** token0 in units of token1. */
  readonly price: number;
  /** USD price of token0. */
  readonly priceUsd: number;
  /** Of the newest trade; the pool's creation when it never traded. */
  readonly time: number;
}

export interface Activity {
  readonly volumeUsd: number;
  readonly buyUsd: number;
  readonly sellUsd: number;
  readonly buys: number;
  readonly sells: number;
  /** Swaps, adds and removes; buys + sells are the swaps. */
  readonly txns: number;
  /** Percent; null without a trade in the window. */
  readonly priceChange: number | null;
}

export interface TransactionWindow {
  readonly from?: number | undefined;
  readonly to: number;
  readonly before?: TransactionKey | undefined;
  readonly skip?: number | undefined;
  readonly limit: number;
}

/** The order of a pool's transactions. */
export interface TransactionKey {
  readonly blockNumber: number;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

export interface Transaction extends TransactionKey {
  readonly kind: "swap" | "add" | "remove";
  readonly pool: PoolFacts;
  /** Transaction hash; several events of one transaction share it. */
  readonly id: string;
  readonly time: number;
  readonly sender: string;
  readonly recipient: string;
  /** Raw units, signed; opposite signs in a swap. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly price0: number;
  readonly price1: number;
  /** Missing where the service had no USD value. */
  readonly price0Usd: number | undefined;
  readonly price1Usd: number | undefined;
}

export interface CandleWindow {
  readonly from: number;
  readonly to: number;
  readonly intervalSeconds: number;
  /** Inverts the price (pool candles only). */
  readonly inversed?: boolean | undefined;
  /**
   * Swaps after this time are left out. The market knows the future: without it, the candle of a running interval
   * would include swaps that have not happened yet. Pass the time of the request.
   */
  readonly asOf?: number | undefined;
}

export interface Candle {
  readonly timeOpen: number;
  readonly timeClose: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** USD, without cents. */
  readonly volume: number;
}

/** An amount of raw units in tokens. */
export function inTokens(amount: bigint, token: TokenFacts | undefined): number {
  return Number(amount) / 10 ** (token?.decimals ?? 0);
}

/** Negative when `a` is before `b`. */
export function compareKeys(a: TransactionKey, b: TransactionKey): number {
  return a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.logIndex - b.logIndex;
}
