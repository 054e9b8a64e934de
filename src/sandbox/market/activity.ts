import { DAY, type MarketPool, type MarketToken } from "./pool-catalogue.ts";
import { cell, Column, countTrades, Flag, isSwap, lastRowAt, rowVolume, WIDTH } from "./trade-rows.ts";
import type { TradeBook, TradeDay } from "./trade-rows.ts";
import type { Activity } from "./types.ts";
import { usdAtTime } from "./usd.ts";

/** Covers `at - seconds < time <= at`. The price change is for token0, in USD. */
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

/** Starts with the newest day, on which an active pool most likely traded. */
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

/** Buys and sells are from the token's perspective. */
export function activityOfToken(book: TradeBook, token: MarketToken, at: number, seconds: number): Activity {
  const sums = noSums();
  for (const pool of token.pools) {
    if (pool.tradesFrom > at) continue;
    const { volumeUsd, buyUsd, buys, swaps, txns } = sumPool(book, pool, at, seconds);
    const isToken0 = pool.token0 === token;
    add(sums, {
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

/** Totals for complete past days are cached, because some tokens have thousands of pools. */
export function createTokenVolumes(book: TradeBook) {
  const days = new WeakMap<MarketToken, Map<number, number>>();

  /** USD volume over begin <= time < end. */
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

interface Sums {
  volumeUsd: number;
  buyUsd: number;
  buys: number;
  swaps: number;
  txns: number;
}

function noSums(): Sums {
  return { volumeUsd: 0, buyUsd: 0, buys: 0, swaps: 0, txns: 0 };
}

function sumPool(book: TradeBook, pool: MarketPool, at: number, seconds: number): Sums {
  const sums = noSums();
  const last = Math.floor(at);
  const first = Math.max(Math.floor(at - seconds) + 1, pool.tradesFrom);
  if (last < first) return sums;
  const lastDay = Math.floor(last / DAY);
  for (let day = Math.floor(first / DAY); day <= lastDay; day += 1) {
    const from = first - day * DAY;
    const to = last - day * DAY;
    if (to >= DAY - 1 && (from <= 0 || first === pool.tradesFrom)) add(sums, book.totals(pool, day));
    else addRows(sums, pool, book.day(pool, day), from, to);
  }
  return sums;
}

function add(sums: Sums, more: Readonly<Sums>): void {
  sums.volumeUsd += more.volumeUsd;
  sums.buyUsd += more.buyUsd;
  sums.buys += more.buys;
  sums.swaps += more.swaps;
  sums.txns += more.txns;
}

function addRows(sums: Sums, pool: MarketPool, trades: TradeDay, from: number, to: number): void {
  const first = lastRowAt(trades, from - 1) + 1;
  const last = lastRowAt(trades, to);
  sums.txns += last - first + 1;
  for (let row = first; row <= last; row += 1) {
    if (!isSwap(trades, row)) continue;
    const volume = rowVolume(pool, trades.rows, row * WIDTH);
    sums.swaps += 1;
    sums.volumeUsd += volume;
    if ((cell(trades, row, Column.flags) & Flag.buy) === 0) continue;
    sums.buys += 1;
    sums.buyUsd += volume;
  }
}

/** Percent since the start of the window, or since the pool's first trade if that is later. */
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
