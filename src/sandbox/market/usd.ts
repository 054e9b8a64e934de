import { type Asset, betweenKnots, logPriceAtKnot } from "./assets.ts";
import { unitAt } from "./hash.ts";
import { DAY, type MarketPool, type MarketToken } from "./pool-catalogue.ts";
import { cell, Column, countTrades, isSwap, lastRowAt, type TradeBook } from "./trade-rows.ts";
import type { PoolPrice } from "./types.ts";

/**
 * USD prices. At any time, a token has exactly one price, set by the last swap in its busiest pool and the price of
 * that pool's other token, which is a stablecoin or has a busier pool. A stablecoin follows a separate price curve.
 */

/** The price after the last swap at or before the given second of the day. */
export function usdAt(book: TradeBook, token: MarketToken, day: number, second: number): number {
  const pool = pricingPool(token);
  const trades = book.day(pool, day);
  const row = lastRowAt(trades, second);
  return row < 0 ? usdBefore(book, token, day) : cell(trades, row, usdColumn(token, pool));
}

export function usdAtTime(book: TradeBook, token: MarketToken, at: number): number {
  const day = Math.floor(at / DAY);
  return usdAt(book, token, day, at - day * DAY);
}

/** The price before the day's first swap. */
export function usdBefore(book: TradeBook, token: MarketToken, day: number): number {
  const pool = pricingPool(token);
  const firstDay = Math.floor(pool.tradesFrom / DAY);
  for (let earlier = day - 1; earlier >= firstDay; earlier -= 1) {
    if (countTrades(pool, earlier) === 0) continue;
    const trades = book.day(pool, earlier);
    return cell(trades, trades.count - 1, usdColumn(token, pool));
  }
  return usdAtCreation(book, token);
}

function usdAtCreation(book: TradeBook, token: MarketToken): number {
  const pool = pricingPool(token);
  const { createdAt } = pool.facts;
  const day = Math.floor(createdAt / DAY);
  if (isOwnCourse(token, pool)) return undisturbedUsd(token.asset, day, createdAt - day * DAY);
  const price = undisturbedPrice(pool, createdAt);
  const other = pool.token0 === token ? pool.token1 : pool.token0;
  const otherUsd =
    pricingPool(other) === pool ? usdAtCreation(book, other) : usdAtTime(book, other, createdAt);
  return pool.token0 === token ? price * otherUsd : otherUsd / price;
}

/** Every token is created with a pool. */
export function pricingPool(token: MarketToken): MarketPool {
  const [pool] = token.pools;
  if (pool === undefined) throw new Error(`${token.facts.symbol}: a token without a pool`);
  return pool;
}

/** Whether the token has a separate price curve in this pool, so that swaps do not set its price. */
export function isOwnCourse(token: MarketToken, pool: MarketPool): boolean {
  if (token.asset.isStable) return true;
  // If both tokens are priced by this pool, the second gets a separate curve, to avoid a circular dependency.
  const other = pool.token0 === token ? pool.token1 : pool.token0;
  return token === pool.token1 && !other.asset.isStable && pricingPool(other) === pool;
}

/** Without the noise of individual trades. */
export function undisturbedUsd(asset: Asset, day: number, second: number): number {
  return Math.exp(betweenKnots(second, (knot) => logPriceAtKnot(asset, day, knot)));
}

/** The price of token0 in token1. */
export function undisturbedAtKnot(pool: MarketPool, day: number, knot: number): number {
  return Math.exp(
    logPriceAtKnot(pool.token0.asset, day, knot) - logPriceAtKnot(pool.token1.asset, day, knot),
  );
}

function undisturbedPrice(pool: MarketPool, at: number): number {
  const day = Math.floor(at / DAY);
  return betweenKnots(at - day * DAY, (knot) => undisturbedAtKnot(pool, day, knot));
}

export function usdColumn(token: MarketToken, pool: MarketPool): number {
  return pool.token0 === token ? Column.usd0 : Column.usd1;
}

/** `priceUsd` is the single price of token0 in all responses, not one derived from this pool; 0 without a price. */
export function priceOfPool(book: TradeBook, pool: MarketPool, at: number): PoolPrice {
  const day = Math.floor(at / DAY);
  const priceUsd = pool.token0.isPriced ? usdAtTime(book, pool.token0, at) : 0;
  const firstDay = Math.floor(pool.tradesFrom / DAY);
  for (let earlier = day; earlier >= firstDay; earlier -= 1) {
    if (countTrades(pool, earlier) === 0) continue;
    const trades = book.day(pool, earlier);
    let row = lastRowAt(trades, at - earlier * DAY);
    while (row >= 0 && !isSwap(trades, row)) row -= 1;
    if (row < 0) continue;
    return {
      price: cell(trades, row, Column.price),
      priceUsd,
      time: earlier * DAY + cell(trades, row, Column.second),
    };
  }
  const { createdAt } = pool.facts;
  return { price: undisturbedPrice(pool, createdAt), priceUsd, time: createdAt };
}

const SILENT_DAYS = 7;

/** Changes slowly. 0 in the first week, because the service returns no liquidity for young pools. */
export function liquidityOfPool(pool: MarketPool, at: number): number {
  if (at - pool.facts.createdAt < SILENT_DAYS * DAY) return 0;
  const place = at / (4 * DAY);
  const step = Math.floor(place);
  const from = unitAt(pool.key ^ 0x27d4eb2f, step);
  const height = from + (unitAt(pool.key ^ 0x27d4eb2f, step + 1) - from) * (place - step);
  // Roughly the volume of one to eight busy days. The busiest pools have the fewest days.
  const days = 1 + 7 * unitAt(pool.key, -4);
  return pool.swapUsd * pool.tradesPerDay ** 0.9 * days * (0.85 + 0.3 * height);
}

/** Counts half the liquidity of each two-token pool. */
export function liquidityOfToken(token: MarketToken, at: number): number {
  let sum = 0;
  for (const pool of token.pools) sum += liquidityOfPool(pool, at) / pool.facts.tokens.length;
  return sum;
}
