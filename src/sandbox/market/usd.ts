import { logPriceAt } from "./assets.ts";
import { unitAt } from "./hash.ts";
import { DAY, tradesPerDay } from "./history.ts";
import { lastRowAt, lastSwap, timeOf } from "./trades.ts";
import type { Pool, Token } from "./pool.ts";

/**
 * USD prices. At any time, a token has exactly one price, set by the last swap in its busiest pool and the price of
 * that pool's other token, which is a stablecoin or has a busier pool. A stablecoin follows a separate price curve.
 */

/** The price after the last swap at or before `time`. */
export function usdAt(token: Token, time: number): number {
  const pool = pricingPool(token);
  return usdInPricingPool(token, Math.max(0, lastRowAt(pool, time)));
}

/** The token's price after a row of one of its pools. `time` is the row's. */
export function usdAfter(token: Token, pool: Pool, row: number, time: number): number {
  return pool === pricingPool(token) ? usdInPricingPool(token, row) : usdAt(token, time);
}

function usdInPricingPool(token: Token, row: number): number {
  const pool = pricingPool(token);
  const swap = lastSwap(pool, row);
  const time = timeOf(pool, swap);
  const [token0, token1] = pool.tokens;
  const other = token0 === token ? token1 : token0;
  // If both tokens are priced by this pool, the second gets a separate curve, to avoid a circular dependency.
  const isCircular = token === token1 && !other.asset.isStable && pricingPool(other) === pool;
  if (token.asset.isStable || isCircular) return Math.exp(logPriceAt(token.asset, time));
  const price = priceAfterSwap(pool, swap, time);
  return token0 === token ? price * usdAt(other, time) : usdAt(other, time) / price;
}

/** The price of token0 in token1 after a row. */
export function priceAfter(pool: Pool, row: number): number {
  const swap = lastSwap(pool, row);
  return priceAfterSwap(pool, swap, timeOf(pool, swap));
}

/** `time` is the swap's. */
function priceAfterSwap(pool: Pool, swap: number, time: number): number {
  const [token0, token1] = pool.tokens;
  const undisturbed = Math.exp(logPriceAt(token0.asset, time) - logPriceAt(token1.asset, time));
  return undisturbed * (1 + pool.trading.noise * (2 * unitAt(pool.key ^ 0x2c1b3c6d, swap) - 1));
}

export function pricingPool({ pools: [first], symbol }: Token): Pool {
  if (first === undefined) throw new Error(`${symbol}: a token without a pool`);
  return first;
}

/**
 * `price` is that of token0 in token1. `priceUsd` is the single price of token0 in all responses, not one derived from
 * this pool; 0 without a price. `time` is that of the newest trade, or of the creation of a pool without trades.
 */
export function priceOfPool(pool: Pool, at: number) {
  const [token0] = pool.tokens;
  const swap = lastSwap(pool, Math.max(0, lastRowAt(pool, at)));
  const time = timeOf(pool, swap);
  return {
    price: priceAfterSwap(pool, swap, time),
    priceUsd: token0.isPriced ? usdAt(token0, at) : 0,
    time,
  };
}

const SILENT_DAYS = 7;

/** Changes slowly. 0 in the first week, because the service returns no liquidity for young pools. */
export function liquidityOfPool(pool: Pool, at: number): number {
  if (at - pool.createdAt < SILENT_DAYS * DAY) return 0;
  const place = at / (4 * DAY);
  const step = Math.floor(place);
  const from = unitAt(pool.key ^ 0x27d4eb2f, step);
  const height = from + (unitAt(pool.key ^ 0x27d4eb2f, step + 1) - from) * (place - step);
  // Roughly the volume of one to eight busy days. The busiest pools have the fewest days.
  const days = 1 + 7 * unitAt(pool.key, -4);
  return pool.trading.swapUsd * tradesPerDay(pool) ** 0.9 * days * (0.85 + 0.3 * height);
}

/** Counts half the liquidity of each two-token pool. */
export function liquidityOfPools(pools: readonly Pool[], at: number): number {
  let sum = 0;
  for (const pool of pools) sum += liquidityOfPool(pool, at) / pool.tokens.length;
  return sum;
}
