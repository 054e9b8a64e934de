import type { Asset } from "./assets.ts";
import type { DexFacts, NetworkFacts, PoolFacts, TokenFacts } from "./types.ts";

/** A token with what the market keeps to itself. */
export interface MarketToken {
  readonly facts: TokenFacts;
  readonly asset: Asset;
  /** Raw units in one token, 10 ** decimals. */
  readonly unit: number;
  readonly isPriced: boolean;
  /** By rank. The first one prices the token; it is the oldest, too. */
  readonly pools: MarketPool[];
}

/** A pool with what the market keeps to itself. */
export interface MarketPool {
  readonly facts: PoolFacts;
  readonly key: number;
  /** Unlike any other pool's of the market; below 2^20. */
  readonly serial: number;
  readonly token0: MarketToken;
  readonly token1: MarketToken;
  readonly clock: BlockClock;
  readonly tradesPerDay: number;
  /** Middle size of a swap, USD. */
  readonly swapUsd: number;
  /** Half-range of a trade's price about the undisturbed one, as a share of it. */
  readonly noise: number;
  /** Unix seconds before which it does not trade. */
  readonly tradesFrom: number;
}

export interface BlockClock {
  readonly blockSeconds: number;
  /** Unix seconds of block 0. */
  readonly genesis: number;
}

/** Everything of one network that ever exists, whenever it comes into being. */
export interface Catalogue {
  readonly network: NetworkFacts;
  readonly dexes: readonly DexFacts[];
  /** By rank. */
  readonly pools: readonly MarketPool[];
  /** By the rank of the pool that prices them. */
  readonly tokens: readonly MarketToken[];
}

export const DAY = 86_400;

/** Unix seconds; there are no trades before 2023. */
export const HISTORY_START = Date.UTC(2023, 0, 1) / 1000;

/** The instant at which the networks have the number of pools that their rows state. */
export const COUNTED_AT = Date.UTC(2026, 10, 1) / 1000;

/** No pool is made after this instant. */
export const HISTORY_END = Date.UTC(2031, 0, 1) / 1000;

/** Days since 1970 with trades, both inclusive: outside of them nothing happens, whatever instant is asked for. */
export const FIRST_DAY = HISTORY_START / DAY;
export const LAST_DAY = 32_000;

export function blockNumberAt(clock: BlockClock, time: number): number {
  return Math.floor((time - clock.genesis) / clock.blockSeconds);
}

/** The first whole second that is not before the block. */
export function blockTime(clock: BlockClock, blockNumber: number): number {
  // A block of a part of a second is seldom an exact binary number; the margin keeps a whole second whole.
  return Math.ceil(clock.genesis + blockNumber * clock.blockSeconds - 1e-5);
}

/** The newest instant at or before `time` at which a block of whole seconds can lie. */
export function alignToBlock(clock: BlockClock, time: number): number {
  return clock.blockSeconds <= 1 ? Math.floor(time) : time - (time % clock.blockSeconds);
}
