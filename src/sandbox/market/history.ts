import { belowAt, hashText, unitAt } from "./hash.ts";
import type { NetworkFacts } from "../well-known.ts";

export const DAY = 86_400;

/** Unix seconds. There are no trades before 2023. */
export const HISTORY_START = Date.UTC(2023, 0, 1) / 1000;

/** The time at which each network has the number of pools given in its row. */
export const COUNTED_AT = Date.UTC(2026, 10, 1) / 1000;

/** No pool is created after this time. */
export const HISTORY_END = Date.UTC(2031, 0, 1) / 1000;

/** No pool trades after this time. */
export const LAST_TRADE = 32_000 * DAY;

export type BlockClock = ReturnType<typeof makeBlockClock>;

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
  const { blockSeconds } = clock;
  const second = Math.floor(time);
  // A division is faster than the remainder of a number above 2^31.
  return blockSeconds <= 1 ? second : Math.floor(second / blockSeconds) * blockSeconds;
}

// One block is public for each of these networks. Other networks start on a generated day.
const GENESIS: Readonly<Record<string, number>> = {
  ethereum: Date.parse("2026-09-28T13:07:36Z") / 1000 - 26_076_150 * 12,
  solana: Math.round(Date.parse("2023-11-26T20:25:08Z") / 1000 - 232_424_998 * 0.4),
};

/** `genesis` is the time of block 0, in Unix seconds. */
export function makeBlockClock(network: NetworkFacts) {
  const made = Date.UTC(2019, 0, 1) / 1000 + belowAt(hashText(0, network.id), 0, 400) * DAY;
  return { blockSeconds: network.blockSeconds, genesis: GENESIS[network.id] ?? made };
}

/** How much more or less than the average a pool may trade on one day. */
const DAILY_SWING = 0.25;

/** What the times of a pool's trades are derived from. */
interface Pace {
  readonly key: number;
  readonly rank: number;
}

export function tradesPerDay({ rank }: Pace): number {
  return 4000 / rank;
}

/** Each row has a slot of equal length, except that days pass faster or slower. Fractional. */
export function slotAt(pool: Pace, time: number): number {
  const day = Math.floor(time / DAY);
  const from = slotsBefore(pool.key, day);
  return tradesPerDay(pool) * (from + (slotsBefore(pool.key, day + 1) - from) * (time / DAY - day));
}

/** In average days. */
function slotsBefore(key: number, day: number): number {
  return day - HISTORY_START / DAY + DAILY_SWING * unitAt(key ^ 0x1b873593, day);
}

/** The inverse of `slotAt`. */
export function timeOfSlot(pool: Pace, slot: number): number {
  const days = slot / tradesPerDay(pool);
  // The swing may move a slot to the next day, but not to the previous one.
  const latest = Math.floor(days + HISTORY_START / DAY);
  const day = slotsBefore(pool.key, latest) <= days ? latest : latest - 1;
  const from = slotsBefore(pool.key, day);
  return (day + (days - from) / (slotsBefore(pool.key, day + 1) - from)) * DAY;
}
