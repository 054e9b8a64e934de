import type { Asset } from "./assets.ts";
import { belowAt, hashText } from "./hash.ts";
import type { NetworkFacts, PoolFacts, TokenFacts } from "./types.ts";

/** Includes internal data that no endpoint returns. */
export interface MarketToken {
  readonly facts: TokenFacts;
  readonly asset: Asset;
  /** Raw units per token: 10 ** decimals. */
  readonly unit: number;
  readonly isPriced: boolean;
  /** Ordered by rank. The first pool prices the token and is also its oldest pool. */
  readonly pools: MarketPool[];
}

export interface MarketPool {
  readonly facts: PoolFacts;
  readonly key: number;
  /** Unique within the market, and less than 2^20. */
  readonly serial: number;
  readonly token0: MarketToken;
  readonly token1: MarketToken;
  readonly clock: BlockClock;
  readonly tradesPerDay: number;
  readonly swapUsd: number;
  /** A trade's maximum deviation from the noise-free price, as a fraction. */
  readonly noise: number;
  /** Unix seconds. */
  readonly tradesFrom: number;
}

export interface BlockClock {
  readonly blockSeconds: number;
  /** Time of block 0, in Unix seconds. */
  readonly genesis: number;
}

export const DAY = 86_400;

/** Unix seconds. There are no trades before 2023. */
export const HISTORY_START = Date.UTC(2023, 0, 1) / 1000;

/** The time at which each network has the number of pools given in its row. */
export const COUNTED_AT = Date.UTC(2026, 10, 1) / 1000;

/** No pool is created after this time. */
export const HISTORY_END = Date.UTC(2031, 0, 1) / 1000;

/** Days since 1970, both inclusive. Requests for other days find no trades. */
export const FIRST_DAY = HISTORY_START / DAY;
export const LAST_DAY = 32_000;

export function blockNumberAt(clock: BlockClock, time: number): number {
  return Math.floor((time - clock.genesis) / clock.blockSeconds);
}

/** Rounded up to a full second. */
export function blockTime(clock: BlockClock, blockNumber: number): number {
  // Block times are rarely exact binary fractions. The margin keeps a full second from being rounded up.
  return Math.ceil(clock.genesis + blockNumber * clock.blockSeconds - 1e-5);
}

/** Returns the latest block time at or before `time`, for chains whose blocks are full seconds apart. */
export function alignToBlock(clock: BlockClock, time: number): number {
  return clock.blockSeconds <= 1 ? Math.floor(time) : time - (time % clock.blockSeconds);
}

// One block is public for each of these networks. Other networks start on a generated day.
const GENESIS: Readonly<Record<string, number>> = {
  ethereum: Date.parse("2026-09-28T13:07:36Z") / 1000 - 26_076_150 * 12,
  solana: Math.round(Date.parse("2023-11-26T20:25:08Z") / 1000 - 232_424_998 * 0.4),
};

export function makeBlockClock(network: NetworkFacts): BlockClock {
  const made = Date.UTC(2019, 0, 1) / 1000 + belowAt(hashText(0, network.id), 0, 400) * DAY;
  return { blockSeconds: network.blockSeconds, genesis: GENESIS[network.id] ?? made };
}
