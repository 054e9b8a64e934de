import type { Asset } from "./assets.ts";
import { KNOT_SECONDS, logPriceAtKnot } from "./assets.ts";
import type { MarketPool, MarketToken } from "./catalogue.ts";
import { DAY } from "./catalogue.ts";
import { countTrades } from "./trade-count.ts";
import type { TradeBook } from "./trade-rows.ts";
import { cell, lastRowAt, USD0, USD1 } from "./trade-rows.ts";

/**
 * USD prices. A token has one at any instant: the one after the last swap of its busiest pool. There, a stable
 * coin is worth what its own course says, and any other token what the swap's price makes it in terms of the
 * pool's other token, which has a busier pool of its own or is a stable coin.
 */

/** The token's USD price after the last swap at or before that second of the day. */
export function usdAt(book: TradeBook, token: MarketToken, day: number, second: number): number {
  const pool = pricingPool(token);
  const trades = book.day(pool, day);
  const row = lastRowAt(trades, second);
  return row < 0 ? usdBefore(book, token, day) : cell(trades, row, usdColumn(token, pool));
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
  const price = undisturbedPrice(pool, day, createdAt - day * DAY);
  const other = pool.token0 === token ? pool.token1 : pool.token0;
  const otherUsd =
    pricingPool(other) === pool ? usdAtCreation(book, other) : usdAt(book, other, day, createdAt - day * DAY);
  return pool.token0 === token ? price * otherUsd : otherUsd / price;
}

/** The busiest pool of the token; every token is made with one. */
export function pricingPool(token: MarketToken): MarketPool {
  const [pool] = token.pools;
  if (pool === undefined) throw new Error(`${token.facts.symbol}: a token without a pool`);
  return pool;
}

/** Whether the pool does not price the token, because the token has its own course there. */
export function isOwnCourse(token: MarketToken, pool: MarketPool): boolean {
  if (token.asset.isStable) return true;
  // Two tokens that are both new here would wait for each other; the second one goes its own way.
  const other = pool.token0 === token ? pool.token1 : pool.token0;
  return token === pool.token1 && !other.asset.isStable && pricingPool(other) === pool;
}

/** USD price of the asset without the noise of trades. */
export function undisturbedUsd(asset: Asset, day: number, second: number): number {
  const knot = Math.floor(second / KNOT_SECONDS);
  const from = logPriceAtKnot(asset, day, knot);
  const to = logPriceAtKnot(asset, day, knot + 1);
  return Math.exp(from + (to - from) * (second / KNOT_SECONDS - knot));
}

/** token0 in units of token1 at a knot of the day, without the noise of trades. */
export function undisturbedAtKnot(pool: MarketPool, day: number, knot: number): number {
  return Math.exp(
    logPriceAtKnot(pool.token0.asset, day, knot) - logPriceAtKnot(pool.token1.asset, day, knot),
  );
}

export function undisturbedPrice(pool: MarketPool, day: number, second: number): number {
  const knot = Math.floor(second / KNOT_SECONDS);
  const from = undisturbedAtKnot(pool, day, knot);
  const to = undisturbedAtKnot(pool, day, knot + 1);
  return from + (to - from) * (second / KNOT_SECONDS - knot);
}

export function usdColumn(token: MarketToken, pool: MarketPool): number {
  return pool.token0 === token ? USD0 : USD1;
}
