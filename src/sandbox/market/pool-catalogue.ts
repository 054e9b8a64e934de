import type { Asset } from "./assets.ts";
import { belowAt, hashText } from "./hash.ts";
import type { NetworkFacts, PoolFacts, TokenFacts } from "./types.ts";

/** A token with its private data: no endpoint shows them. */
export interface MarketToken {
  readonly facts: TokenFacts;
  readonly asset: Asset;
  /** Raw units in one token, 10 ** decimals. */
  readonly unit: number;
  readonly isPriced: boolean;
  /** By rank. The first one prices the token and is also the oldest. */
  readonly pools: MarketPool[];
}

/** A pool with its private data. */
export interface MarketPool {
  readonly facts: PoolFacts;
  readonly key: number;
  /** Unique in the market; below 2^20. */
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

export const DAY = 86_400;

/** Unix seconds; there are no trades before 2023. */
export const HISTORY_START = Date.UTC(2023, 0, 1) / 1000;

/** The time at which the networks have the number of pools that their rows state. */
export const COUNTED_AT = Date.UTC(2026, 10, 1) / 1000;

/** No pool is created after this time. */
export const HISTORY_END = Date.UTC(2031, 0, 1) / 1000;

/** Days since 1970 with trades, both inclusive: nothing happens outside them, whatever time is requested. */
export const FIRST_DAY = HISTORY_START / DAY;
export const LAST_DAY = 32_000;

export function blockNumberAt(clock: BlockClock, time: number): number {
  return Math.floor((time - clock.genesis) / clock.blockSeconds);
}

/** The first full second at or after the block. */
export function blockTime(clock: BlockClock, blockNumber: number): number {
  // A fraction of a second is rarely an exact binary number; the margin keeps a full second from rounding up.
  return Math.ceil(clock.genesis + blockNumber * clock.blockSeconds - 1e-5);
}

/** The latest time at or before `time` that can have a block, on a chain whose blocks take full seconds. */
export function alignToBlock(clock: BlockClock, time: number): number {
  return clock.blockSeconds <= 1 ? Math.floor(time) : time - (time % clock.blockSeconds);
}

// One block of each is public; the other networks count from a generated day.
const GENESIS: Readonly<Record<string, number>> = {
  ethereum: Date.parse("2026-09-28T13:07:36Z") / 1000 - 26_076_150 * 12,
  solana: Math.round(Date.parse("2023-11-26T20:25:08Z") / 1000 - 232_424_998 * 0.4),
};

export function makeBlockClock(network: NetworkFacts): BlockClock {
  const made = Date.UTC(2019, 0, 1) / 1000 + belowAt(hashText(0, network.id), 0, 400) * DAY;
  return { blockSeconds: network.blockSeconds, genesis: GENESIS[network.id] ?? made };
}
