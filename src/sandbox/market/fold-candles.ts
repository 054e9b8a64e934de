import { DAY, LAST_DAY, type MarketPool, type MarketToken } from "./pool-catalogue.ts";
import { cell, Column, Flag, isSwap, lastRowAt, rowVolume, WIDTH } from "./trade-rows.ts";
import type { DayTotals, TradeBook, TradeDay } from "./trade-rows.ts";
import type { Candle, CandleWindow } from "./types.ts";
import { usdAt, usdColumn } from "./usd.ts";

export function candlesOfPool(book: TradeBook, pool: MarketPool, window: CandleWindow): Candle[] {
  const candles = new Map<number, OpenCandle>();
  const { first, last } = spanOf(window);
  for (let day = Math.floor(Math.max(first, pool.tradesFrom) / DAY); day * DAY <= last; day += 1) {
    const from = first - day * DAY;
    const to = last - day * DAY;
    if (window.intervalSeconds % DAY === 0 && from <= 0 && to >= DAY - 1) {
      addWholeDay(candles, Math.floor((day * DAY) / window.intervalSeconds), book.totals(pool, day));
      continue;
    }
    eachSwap(book.day(pool, day), from, to, (trades, row) => {
      const time = day * DAY + cell(trades, row, Column.second);
      const volume = rowVolume(pool, trades.rows, row * WIDTH);
      addSwap(candles, window, time, cell(trades, row, Column.price), volume);
    });
  }
  const ascending = close(candles, window);
  return window.inversed === true ? ascending.map(inverse) : ascending;
}

/** Prices are in USD, so swaps without a USD value are skipped. */
export function candlesOfToken(book: TradeBook, token: MarketToken, window: CandleWindow): Candle[] {
  const candles = new Map<number, OpenCandle>();
  const { first, last } = spanOf(window);
  const [oldest] = token.pools;
  if (!token.isPriced || oldest === undefined) return [];
  // By day first, because a day's pools share the cached days of the pools that price their tokens.
  for (let day = Math.floor(Math.max(first, oldest.tradesFrom) / DAY); day * DAY <= last; day += 1) {
    for (const pool of token.pools) {
      if (pool.tradesFrom > last) continue;
      const usdOf = usdReader(book, token, pool, day);
      eachSwap(book.day(pool, day), first - day * DAY, last - day * DAY, (trades, row) => {
        if ((cell(trades, row, Column.flags) & Flag.noUsd) !== 0) return;
        const time = day * DAY + cell(trades, row, Column.second);
        addSwap(candles, window, time, usdOf(trades, row), rowVolume(pool, trades.rows, row * WIDTH));
      });
    }
  }
  return close(candles, window);
}

function usdReader(
  book: TradeBook,
  token: MarketToken,
  pool: MarketPool,
  day: number,
): (trades: TradeDay, row: number) => number {
  // A pool's third token has no column.
  if (pool.token0 !== token && pool.token1 !== token) {
    return (trades, row) => usdAt(book, token, day, cell(trades, row, Column.second));
  }
  const column = usdColumn(token, pool);
  return (trades, row) => cell(trades, row, column);
}

function spanOf(window: CandleWindow): { first: number; last: number } {
  const { intervalSeconds } = window;
  const first = Math.ceil(window.from / intervalSeconds) * intervalSeconds;
  const end = Math.ceil(window.to / intervalSeconds) * intervalSeconds;
  return { first, last: Math.min(end - 1, Math.floor(window.asOf ?? end), LAST_DAY * DAY) };
}

interface OpenCandle {
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  openedAt: number;
  closedAt: number;
}

function eachSwap(
  trades: TradeDay,
  from: number,
  to: number,
  visit: (trades: TradeDay, row: number) => void,
): void {
  const last = lastRowAt(trades, to);
  for (let row = lastRowAt(trades, from - 1) + 1; row <= last; row += 1)
    if (isSwap(trades, row)) visit(trades, row);
}

function addSwap(
  candles: Map<number, OpenCandle>,
  window: CandleWindow,
  time: number,
  price: number,
  volume: number,
): void {
  const slot = Math.floor(time / window.intervalSeconds);
  const candle = candles.get(slot);
  if (candle === undefined) {
    const prices = { open: price, high: price, low: price, close: price };
    candles.set(slot, { ...prices, volume, openedAt: time, closedAt: time });
    return;
  }
  candle.volume += volume;
  if (price > candle.high) candle.high = price;
  if (price < candle.low) candle.low = price;
  // If two swaps happen in the same second, the first pool, which sets the token's price, provides the open price.
  if (time < candle.openedAt) {
    candle.open = price;
    candle.openedAt = time;
  }
  if (time >= candle.closedAt) {
    candle.close = price;
    candle.closedAt = time;
  }
}

function addWholeDay(candles: Map<number, OpenCandle>, slot: number, totals: DayTotals): void {
  const { swaps, open, high, low, close: end, volumeUsd } = totals;
  if (swaps === 0) return;
  const candle = candles.get(slot) ?? { open, high, low, close: end, volume: 0, openedAt: 0, closedAt: 0 };
  candle.high = Math.max(candle.high, high);
  candle.low = Math.min(candle.low, low);
  candle.close = end;
  candle.volume += volumeUsd;
  candles.set(slot, candle);
}

function close(candles: Map<number, OpenCandle>, window: CandleWindow): Candle[] {
  const slots = [...candles].toSorted(([left], [right]) => left - right);
  return slots.map(([slot, { open, high, low, close: end, volume }]) => ({
    timeOpen: slot * window.intervalSeconds,
    timeClose: (slot + 1) * window.intervalSeconds,
    open,
    high,
    low,
    close: end,
    volume: Math.round(volume),
  }));
}

function inverse(candle: Candle): Candle {
  return {
    ...candle,
    open: 1 / candle.open,
    high: 1 / candle.low,
    low: 1 / candle.high,
    close: 1 / candle.close,
  };
}
