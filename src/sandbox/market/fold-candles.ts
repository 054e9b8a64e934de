import { eachInSteps, type Work } from "../work.ts";
import { Flag } from "./deck.ts";
import type { Rows } from "./rows.ts";
import { flagsOf, isSwap, timeOf, volumeOf } from "./trades.ts";
import type { Pool, Token } from "./pool.ts";
import type { Candle, CandleWindow, PricedSwap } from "./types.ts";
import { priceAfter, usdAfter } from "./usd.ts";

export function createCandles(rows: Rows) {
  const eachSwap = (
    pool: Pool,
    { intervalSeconds, from, to, asOf }: CandleWindow,
    visit: (row: number, time: number) => void,
  ): void => {
    const first = Math.ceil(from / intervalSeconds) * intervalSeconds;
    const end = Math.ceil(to / intervalSeconds) * intervalSeconds;
    const span = { after: first - 1, to: Math.min(end - 1, asOf ?? end), asOf };
    rows.each(pool, span, (row, time) => {
      if (isSwap(pool, row)) visit(row, time);
    });
  };
  return {
    /** In ascending order, with from <= time_open < to. Intervals without a swap have no candle. */
    poolCandles: (pool: Pool, window: CandleWindow): readonly Candle[] => {
      const candles = new Map<number, OpenCandle>();
      eachSwap(pool, window, (row, time) =>
        addSwap(candles, window, time, priceAfter(pool, row), volumeOf(pool, row)),
      );
      return close(candles, window);
    },
    /** Prices are in USD, across all of the token's pools, so swaps without a USD value are skipped. */
    *tokenCandles(token: Token, window: CandleWindow): Work<readonly Candle[]> {
      const candles = new Map<number, OpenCandle>();
      if (!token.isPriced) return [];
      yield* eachInSteps(token.pools, (pool) =>
        eachSwap(pool, window, (row, time) => {
          if (hasUsd(pool, row))
            addSwap(candles, window, time, usdAfter(token, pool, row, time), volumeOf(pool, row));
        }),
      );
      return close(candles, window);
    },
    /** The swaps of which `tokenCandles` consist, with after < time <= to, in all forms that are ever listed. */
    tokenSwaps: (token: Token, after: number, to: number): readonly PricedSwap[] =>
      (token.isPriced ? token.pools : []).flatMap((pool) =>
        rows
          .showings(pool, after, to)
          .filter(({ row }) => isSwap(pool, row) && hasUsd(pool, row))
          .map(({ row, time, since, until }) => {
            const price = usdAfter(token, pool, row, timeOf(pool, row));
            return { time, since, until, price, volumeUsd: volumeOf(pool, row) };
          }),
      ),
  };
}

function hasUsd(pool: Pool, row: number): boolean {
  return (flagsOf(pool, row) & Flag.noUsd) === 0;
}

type OpenCandle = ReturnType<typeof openCandle>;

function openCandle(price: number, time: number) {
  return { open: price, high: price, low: price, close: price, volume: 0, openedAt: time, closedAt: time };
}

function addSwap(
  candles: Map<number, OpenCandle>,
  window: CandleWindow,
  time: number,
  price: number,
  volume: number,
): void {
  const slot = Math.floor(time / window.intervalSeconds);
  let candle = candles.get(slot);
  if (candle === undefined) {
    candle = openCandle(price, time);
    candles.set(slot, candle);
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

export function inverse(candle: Candle): Candle {
  return {
    ...candle,
    open: 1 / candle.open,
    high: 1 / candle.low,
    low: 1 / candle.high,
    close: 1 / candle.close,
  };
}
