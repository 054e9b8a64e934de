import { DAY, type MarketPool, type MarketToken } from "./pool-catalogue.ts";
import { addRows, countTrades, isSwap, lastRowAt, NO_SUMS, type Sums, type TradeBook } from "./trade-rows.ts";
import type { Activity } from "./types.ts";
import { usdAtTime } from "./usd.ts";

/** Over `at - seconds < time <= at`. The price change is that of token0 in USD. */
export function activityOfPool(book: TradeBook, pool: MarketPool, at: number, seconds: number): Activity {
  const sums = sumPool(book, pool, at, seconds);
  return toActivity(sums, sums.swaps === 0 ? null : changeOf(book, pool.token0, pool, at, seconds));
}

export function priceChangeOfPool(
  book: TradeBook,
  pool: MarketPool,
  at: number,
  seconds: number,
): number | null {
  const first = Math.max(Math.floor(at - seconds) + 1, pool.tradesFrom);
  return hasSwap(book, pool, first, Math.floor(at)) ? changeOf(book, pool.token0, pool, at, seconds) : null;
}

/** Starts at the newest day: a pool that trades at all usually traded on the last day of the window. */
function hasSwap(book: TradeBook, pool: MarketPool, first: number, last: number): boolean {
  for (let day = Math.floor(last / DAY); day * DAY + DAY > first; day -= 1) {
    if (countTrades(pool, day) === 0) continue;
    const trades = book.day(pool, day);
    const end = Math.max(-1, lastRowAt(trades, first - day * DAY - 1));
    for (let row = lastRowAt(trades, last - day * DAY); row > end; row -= 1) {
      if (isSwap(trades, row)) return true;
    }
  }
  return false;
}

/** The sums over the token's pools, buys and sells as seen from the token. */
export function activityOfToken(book: TradeBook, token: MarketToken, at: number, seconds: number): Activity {
  let sums = NO_SUMS;
  for (const pool of token.pools) {
    if (pool.tradesFrom > at) continue;
    const { volumeUsd, buyUsd, buys, swaps, txns } = sumPool(book, pool, at, seconds);
    const isToken0 = pool.token0 === token;
    sums = add(sums, {
      volumeUsd,
      buyUsd: isToken0 ? buyUsd : volumeUsd - buyUsd,
      buys: isToken0 ? buys : swaps - buys,
      swaps,
      txns,
    });
  }
  const [pricing] = token.pools;
  const hasTraded = sums.swaps > 0 && pricing !== undefined;
  return toActivity(sums, hasTraded ? changeOf(book, token, pricing, at, seconds) : null);
}

/**
 * Volumes of tokens over `at - seconds < time <= at`. Some tokens have thousands of pools, and every row of a search
 * sums a month of each. The sums of complete past days are cached, because no later trade changes them.
 */
export function createTokenVolumes(book: TradeBook) {
  const days = new WeakMap<MarketToken, Map<number, number>>();

  /** USD over begin <= time < end. */
  function between(token: MarketToken, begin: number, end: number): number {
    return begin >= end ? 0 : activityOfToken(book, token, end - 1, end - begin).volumeUsd;
  }

  function ofDay(token: MarketToken, day: number): number {
    const known = days.get(token) ?? new Map<number, number>();
    days.set(token, known);
    const volume = known.get(day) ?? between(token, day * DAY, (day + 1) * DAY);
    known.set(day, volume);
    return volume;
  }

  return (token: MarketToken, at: number, seconds: number): number => {
    const [begin, end] = [at - seconds + 1, at + 1];
    const [firstDay, endDay] = [Math.ceil(begin / DAY), Math.floor(end / DAY)];
    if (firstDay >= endDay) return between(token, begin, end);
    let volume = between(token, begin, firstDay * DAY) + between(token, endDay * DAY, end);
    for (let day = firstDay; day < endDay; day += 1) volume += ofDay(token, day);
    return volume;
  };
}

function toActivity({ volumeUsd, buyUsd, buys, swaps, txns }: Sums, priceChange: number | null): Activity {
  return { volumeUsd, buyUsd, sellUsd: volumeUsd - buyUsd, buys, sells: swaps - buys, txns, priceChange };
}

function sumPool(book: TradeBook, pool: MarketPool, at: number, seconds: number): Sums {
  let sums = NO_SUMS;
  const last = Math.floor(at);
  const first = Math.max(Math.floor(at - seconds) + 1, pool.tradesFrom);
  if (last < first) return sums;
  const lastDay = Math.floor(last / DAY);
  for (let day = Math.floor(first / DAY); day <= lastDay; day += 1) {
    const from = first - day * DAY;
    const to = last - day * DAY;
    if (to >= DAY - 1 && (from <= 0 || first === pool.tradesFrom)) sums = add(sums, book.totals(pool, day));
    else {
      const trades = book.day(pool, day);
      sums = addRows(sums, pool, trades.rows, lastRowAt(trades, from - 1) + 1, lastRowAt(trades, to) + 1);
    }
  }
  return sums;
}

function add(sums: Sums, more: Sums): Sums {
  return {
    volumeUsd: sums.volumeUsd + more.volumeUsd,
    buyUsd: sums.buyUsd + more.buyUsd,
    buys: sums.buys + more.buys,
    swaps: sums.swaps + more.swaps,
    txns: sums.txns + more.txns,
  };
}

/** In percent, from the start of the window or of the pool, whichever is later. */
function changeOf(
  book: TradeBook,
  token: MarketToken,
  pool: MarketPool,
  at: number,
  seconds: number,
): number {
  const end = usdAtTime(book, token, at);
  const start = usdAtTime(book, token, Math.max(at - seconds, pool.tradesFrom));
  return (end / start - 1) * 100;
}
