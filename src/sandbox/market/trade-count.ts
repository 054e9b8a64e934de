import type { MarketPool } from "./catalogue.ts";
import { DAY, LAST_DAY } from "./catalogue.ts";
import { hash, toUnit } from "./hash.ts";

/** The key of all that happens in the pool on that UTC day (days since 1970). */
export function dayKey(pool: MarketPool, day: number): number {
  return hash(pool.key, day);
}

/** Seconds since midnight from which the pool trades on that day; DAY or more before it exists. */
export function tradesFromSecond(pool: MarketPool, day: number): number {
  return Math.max(0, pool.tradesFrom - day * DAY);
}

/** Number of transactions of the day, without making them: deep pages count whole days this way. */
export function countTrades(pool: MarketPool, day: number): number {
  const from = tradesFromSecond(pool, day);
  if (from >= DAY || day > LAST_DAY) return 0;
  const key = dayKey(pool, day);
  const mood = 0.75 + 0.5 * toUnit(hash(key, -1));
  return Math.floor(pool.tradesPerDay * mood * (1 - from / DAY) + toUnit(hash(key, -2)));
}
