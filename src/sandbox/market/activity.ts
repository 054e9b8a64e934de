import type { MarketPool, MarketToken } from "./catalogue.ts";
import { DAY } from "./catalogue.ts";
import { countTrades } from "./trade-count.ts";
import { rowVolume } from "./trade-day.ts";
import type { TradeBook } from "./trade-rows.ts";
import { BUY, FLAGS, isSwap, lastRowAt, LIQUIDITY, WIDTH } from "./trade-rows.ts";
import type { Activity } from "./types.ts";
import { usdAt } from "./usd.ts";

/** Over `at - seconds < time <= at`. The price change is that of token0 in USD. */
export function activityOfPool(book: TradeBook, pool: MarketPool, at: number, seconds: number): Activity {
  const sums = sumPool(book, pool, at, seconds);
  const { volumeUsd, buyUsd, buys, swaps, txns } = sums;
  const priceChange = swaps === 0 ? null : changeOf(book, pool.token0, pool, at, seconds);
  return { volumeUsd, buyUsd, sellUsd: volumeUsd - buyUsd, buys, sells: swaps - buys, txns, priceChange };
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

/** From the newest day back: a pool that trades at all mostly traded on the last day of the window. */
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
  let volumeUsd = 0;
  let buyUsd = 0;
  let buys = 0;
  let swaps = 0;
  let txns = 0;
  for (const pool of token.pools) {
    if (pool.tradesFrom > at) continue;
    const sums = sumPool(book, pool, at, seconds);
    const isToken0 = pool.token0 === token;
    volumeUsd += sums.volumeUsd;
    buyUsd += isToken0 ? sums.buyUsd : sums.volumeUsd - sums.buyUsd;
    buys += isToken0 ? sums.buys : sums.swaps - sums.buys;
    swaps += sums.swaps;
    txns += sums.txns;
  }
  const [pricing] = token.pools;
  const priceChange =
    swaps === 0 || pricing === undefined ? null : changeOf(book, token, pricing, at, seconds);
  return { volumeUsd, buyUsd, sellUsd: volumeUsd - buyUsd, buys, sells: swaps - buys, txns, priceChange };
}

interface Sums {
  volumeUsd: number;
  buyUsd: number;
  buys: number;
  swaps: number;
  txns: number;
}

function sumPool(book: TradeBook, pool: MarketPool, at: number, seconds: number): Sums {
  const sums: Sums = { volumeUsd: 0, buyUsd: 0, buys: 0, swaps: 0, txns: 0 };
  const last = Math.floor(at);
  const first = Math.max(Math.floor(at - seconds) + 1, pool.tradesFrom);
  if (last < first) return sums;
  const lastDay = Math.floor(last / DAY);
  for (let day = Math.floor(first / DAY); day <= lastDay; day += 1) {
    const from = first - day * DAY;
    const to = last - day * DAY;
    if (to >= DAY - 1 && (from <= 0 || first === pool.tradesFrom)) addDay(sums, book, pool, day);
    else addRows(sums, book, pool, day, from, to);
  }
  return sums;
}

function addDay(sums: Sums, book: TradeBook, pool: MarketPool, day: number): void {
  const totals = book.totals(pool, day);
  sums.volumeUsd += totals.volumeUsd;
  sums.buyUsd += totals.buyUsd;
  sums.buys += totals.buys;
  sums.swaps += totals.swaps;
  sums.txns += totals.txns;
}

function addRows(sums: Sums, book: TradeBook, pool: MarketPool, day: number, from: number, to: number): void {
  const trades = book.day(pool, day);
  if (trades.count === 0) return;
  const first = lastRowAt(trades, from - 1) + 1;
  const last = lastRowAt(trades, to);
  sums.txns += last - first + 1;
  for (let at = first * WIDTH; at <= last * WIDTH; at += WIDTH) {
    const flags = trades.rows[at + FLAGS] ?? 0;
    if ((flags & LIQUIDITY) !== 0) continue;
    const volume = rowVolume(pool, trades.rows, at);
    sums.swaps += 1;
    sums.volumeUsd += volume;
    if ((flags & BUY) === 0) continue;
    sums.buys += 1;
    sums.buyUsd += volume;
  }
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

function usdAtTime(book: TradeBook, token: MarketToken, at: number): number {
  const day = Math.floor(at / DAY);
  return usdAt(book, token, day, at - day * DAY);
}
