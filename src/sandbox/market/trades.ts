import { CARDS, deck, Flag } from "./deck.ts";
import { unitAt } from "./hash.ts";
import { alignToBlock, LAST_TRADE, slotAt, timeOfSlot } from "./history.ts";
import type { Pool } from "./pool.ts";

/**
 * A pool's transactions are rows numbered from 0, its first one. Every row is computed from its number alone, and the
 * number from the time, so nothing needs to be generated in order or cached.
 */

/** How much larger or smaller than the average the swaps of a pool may be in one pass through the deck. */
const SIZE_SWING = 0.3;

/** The newest row at or before `time`; -1 if there is none. */
export function lastRowAt(pool: Pool, time: number): number {
  if (time < pool.tradesFrom) return -1;
  const until = Math.floor(Math.min(time, LAST_TRADE));
  let row = Math.floor(slotAt(pool, until) - pool.trading.firstSlot);
  // Within its slot, or to the time of its block or transaction, a row may be moved back but not forward.
  while (timeOf(pool, row + 1) <= until) row += 1;
  return row;
}

/** Unix seconds. */
export function timeOf(pool: Pool, row: number): number {
  const head = headOf(pool, row);
  if (head === 0) return pool.tradesFrom;
  return alignToBlock(pool.clock, timeOfSlot(pool, pool.trading.firstSlot + head - unitAt(pool.key, head)));
}

/** The first row of the same transaction. */
export function headOf(pool: Pool, row: number): number {
  let head = row;
  while ((flagsOf(pool, head) & Flag.follows) !== 0) head -= 1;
  return head;
}

/** Adding or removing liquidity does not change a price. The first row is always a swap. */
export function lastSwap(pool: Pool, row: number): number {
  let swap = row;
  while (!isSwap(pool, swap)) swap -= 1;
  return swap;
}

export function flagsOf(pool: Pool, row: number): number {
  return deck.flags[(pool.trading.cut + row) % CARDS] ?? 0;
}

export function isSwap(pool: Pool, row: number): boolean {
  return (flagsOf(pool, row) & Flag.liquidity) === 0;
}

/** USD, even where the service returns no value. */
export function sizeOf(pool: Pool, row: number): number {
  const place = pool.trading.cut + row;
  return (deck.sizes[place % CARDS] ?? 0) * swapUsd(pool, Math.floor(place / CARDS));
}

/** The volume of one swap: the larger of its two sides, or 0 where the service has no value. */
export function volumeOf(pool: Pool, row: number): number {
  const hasUsd = (flagsOf(pool, row) & Flag.noUsd) === 0 && isPriced(pool);
  return hasUsd ? sizeOf(pool, row) : 0;
}

/** The median size of a swap in one pass through the deck. */
function swapUsd(pool: Pool, pass: number): number {
  return pool.trading.swapUsd * (1 - SIZE_SWING + 2 * SIZE_SWING * unitAt(pool.key ^ 0x52dce729, pass));
}

function isPriced({ tokens: [token0, token1] }: Pool): boolean {
  return token0.isPriced || token1.isPriced;
}

export type Sums = ReturnType<typeof noSums>;

/** `txns` counts swaps, adds and removes. Only swaps are buys or sells. */
export function noSums() {
  return { volumeUsd: 0, buyUsd: 0, buys: 0, swaps: 0, txns: 0 };
}

export function addSums(sums: Sums, more: Sums): void {
  sums.volumeUsd += more.volumeUsd;
  sums.buyUsd += more.buyUsd;
  sums.buys += more.buys;
  sums.swaps += more.swaps;
  sums.txns += more.txns;
}

/** Totals of the rows with `first <= row < end`. */
export function sumRows(pool: Pool, first: number, end: number): Sums {
  const sums = { ...noSums(), txns: end - first };
  const last = pool.trading.cut + end;
  for (let place = pool.trading.cut + first; place < last;) {
    const pass = Math.floor(place / CARDS);
    const from = place - pass * CARDS;
    const to = Math.min(CARDS, last - pass * CARDS);
    const usd = isPriced(pool) ? swapUsd(pool, pass) : 0;
    sums.volumeUsd += usd * between(deck.volume, from, to);
    sums.buyUsd += usd * between(deck.buyVolume, from, to);
    sums.buys += between(deck.buys, from, to);
    sums.swaps += between(deck.swaps, from, to);
    place += to - from;
  }
  return sums;
}

function between(sums: Float64Array, from: number, to: number): number {
  return (sums[to] ?? 0) - (sums[from] ?? 0);
}
