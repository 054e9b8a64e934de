import type { MarketPool, MarketToken } from "./catalogue.ts";
import { DAY } from "./catalogue.ts";
import { unitAt } from "./hash.ts";

const SILENT_DAYS = 7;

/** USD locked in the pool, moving slowly. 0 in its first week: the service shows none for young pools. */
export function liquidityOfPool(pool: MarketPool, at: number): number {
  if (at - pool.facts.createdAt < SILENT_DAYS * DAY) return 0;
  const place = at / (4 * DAY);
  const step = Math.floor(place);
  const from = unitAt(pool.key ^ 0x27d4eb2f, step);
  const height = from + (unitAt(pool.key ^ 0x27d4eb2f, step + 1) - from) * (place - step);
  // About the volume of one to eight busy days, the busiest pools the fewest.
  const days = 1 + 7 * unitAt(pool.key, -4);
  return pool.swapUsd * pool.tradesPerDay ** 0.9 * days * (0.85 + 0.3 * height);
}

/** The token's share of its pools: half of a pool of two. */
export function liquidityOfToken(token: MarketToken, at: number): number {
  let sum = 0;
  for (const pool of token.pools) sum += liquidityOfPool(pool, at) / pool.facts.tokens.length;
  return sum;
}
