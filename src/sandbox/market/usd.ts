import { type Asset, betweenKnots, logPriceAtKnot } from "./assets.ts";
import { unitAt } from "./hash.ts";
import { DAY, type MarketPool, type MarketToken } from "./pool-catalogue.ts";
import { cell, Column, countTrades, isSwap, lastRowAt, type TradeBook } from "./trade-rows.ts";
import type { PoolPrice } from "./types.ts";

/**
 * USD prices. A token has one price at any time: the price after the last swap of its busiest pool. There, the price of
 * a stable coin follows its own course. Any other token's price follows from the swap's price and the pool's other
 * token, which is a stable coin or has a busier pool.
 */

/** The token's USD price after the last swap at or before that second of the day. */
export function usdAt(book: TradeBook, token: MarketToken, day: number, second: number): number {
  const pool = pricingPool(token);
  const trades = book.day(pool, day);
  const row = lastRowAt(trades, second);
  return row < 0 ? usdBefore(book, token, day) : cell(trades, row, usdColumn(token, pool));
}

/** The token's USD price at unix seconds, after the last swap at or before then. */
export function usdAtTime(book: TradeBook, token: MarketToken, at: number): number {
  const day = Math.floor(at / DAY);
  return usdAt(book, token, day, at - day * DAY);
}

/** The token's USD price as the day begins, before the first swap of it. */
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

/** The price with which the token's busiest pool came into being. */
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

/** The busiest pool of the token; every token is made with one. */
export function pricingPool(token: MarketToken): MarketPool {
  const [pool] = token.pools;
  if (pool === undefined) throw new Error(`${token.facts.symbol}: a token without a pool`);
  return pool;
}

/** Whether the pool's swaps do not set the token's price because the token has its own course there. */
export function isOwnCourse(token: MarketToken, pool: MarketPool): boolean {
  if (token.asset.isStable) return true;
  // Two tokens that are both new here would depend on each other, so the second one has its own course.
  const other = pool.token0 === token ? pool.token1 : pool.token0;
  return token === pool.token1 && !other.asset.isStable && pricingPool(other) === pool;
}

/** USD price of the asset without the noise of trades. */
export function undisturbedUsd(asset: Asset, day: number, second: number): number {
  return Math.exp(betweenKnots(second, (knot) => logPriceAtKnot(asset, day, knot)));
}

/** token0 in units of token1 at a knot of the day, without the noise of trades. */
export function undisturbedAtKnot(pool: MarketPool, day: number, knot: number): number {
  return Math.exp(
    logPriceAtKnot(pool.token0.asset, day, knot) - logPriceAtKnot(pool.token1.asset, day, knot),
  );
}

/** The pool's price at a time without the noise of trades. */
function undisturbedPrice(pool: MarketPool, at: number): number {
  const day = Math.floor(at / DAY);
  return betweenKnots(at - day * DAY, (knot) => undisturbedAtKnot(pool, day, knot));
}

export function usdColumn(token: MarketToken, pool: MarketPool): number {
  return pool.token0 === token ? Column.usd0 : Column.usd1;
}

/**
 * The pool's price after its last swap. In USD it is token0's only price at that time, not this pool's view of it: a
 * token costs the same on every page. 0 when the service does not price token0.
 */
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
