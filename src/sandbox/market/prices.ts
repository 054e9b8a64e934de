import type { MarketPool } from "./catalogue.ts";
import { DAY } from "./catalogue.ts";
import { countTrades } from "./trade-count.ts";
import type { TradeBook } from "./trade-rows.ts";
import { cell, isSwap, lastRowAt, PRICE, SECOND } from "./trade-rows.ts";
import type { PoolPrice } from "./types.ts";
import { undisturbedPrice, usdAt } from "./usd.ts";

/**
 * The pool's price after its last swap. In USD it is token0's one price of that instant, not this pool's own
 * view of it: a token costs the same on every page. 0 when the service does not price token0.
 */
export function priceOfPool(book: TradeBook, pool: MarketPool, at: number): PoolPrice {
  const day = Math.floor(at / DAY);
  const priceUsd = pool.token0.isPriced ? usdAt(book, pool.token0, day, at - day * DAY) : 0;
  const firstDay = Math.floor(pool.tradesFrom / DAY);
  for (let earlier = day; earlier >= firstDay; earlier -= 1) {
    if (countTrades(pool, earlier) === 0) continue;
    const trades = book.day(pool, earlier);
    let row = lastRowAt(trades, at - earlier * DAY);
    while (row >= 0 && !isSwap(trades, row)) row -= 1;
    if (row < 0) continue;
    return { price: cell(trades, row, PRICE), priceUsd, time: earlier * DAY + cell(trades, row, SECOND) };
  }
  const { createdAt } = pool.facts;
  const createdDay = Math.floor(createdAt / DAY);
  return {
    price: undisturbedPrice(pool, createdDay, createdAt - createdDay * DAY),
    priceUsd,
    time: createdAt,
  };
}
