import { FIRST_DAY, LAST_DAY, type MarketPool } from "./pool-catalogue.ts";
import { makeRecent } from "./recent.ts";
import { makeTradeDay } from "./trade-day.ts";
import {
  countTrades,
  type DayTotals,
  NO_TRADES,
  type TradeBook,
  type TradeDay,
  WIDTH,
} from "./trade-rows.ts";

// A row takes 56 bytes, so the rows take about 40 and 28 MB. Totals take about 120 bytes each, or 20 MB in all.
const HUB_ROWS_KEPT = 700_000;
const ROWS_KEPT = 500_000;
const TOTALS_KEPT = 160_000;

export function createTradeBook(): TradeBook {
  // Most pools need the days of the few pools that price WETH and similar tokens. In a shared cache, a month's data
  // from thousands of small pools would evict them.
  const hubDays = makeRecent<number, TradeDay>(HUB_ROWS_KEPT, weigh);
  const otherDays = makeRecent<number, TradeDay>(ROWS_KEPT, weigh);
  const totals = makeRecent<number, DayTotals>(TOTALS_KEPT);
  let scratch = new Float64Array(0);

  /** No other pool needs these rows, so they are generated in a reused buffer and not cached. */
  function totalsOf(pool: MarketPool, number: number): DayTotals {
    const kept = otherDays.get(keyOf(pool, number));
    if (kept !== undefined) return kept.totals;
    const size = countTrades(pool, number) * WIDTH;
    if (scratch.length < size) scratch = new Float64Array(size * 2);
    return makeTradeDay(book, pool, number, scratch).totals;
  }

  const book: TradeBook = {
    day: (pool, number) => {
      if (isOutside(number)) return NO_TRADES;
      const days = pricesHub(pool) ? hubDays : otherDays;
      return days.recall(keyOf(pool, number), () => makeTradeDay(book, pool, number));
    },
    totals: (pool, number) => {
      if (isOutside(number)) return NO_TRADES.totals;
      return totals.recall(keyOf(pool, number), () =>
        pricesAny(pool) ? book.day(pool, number).totals : totalsOf(pool, number),
      );
    },
  };
  return book;
}

/** Caching a day outside the history could cause a key collision with another pool. */
function isOutside(day: number): boolean {
  return day < FIRST_DAY || day > LAST_DAY;
}

function keyOf(pool: MarketPool, day: number): number {
  return pool.serial * 32_768 + day;
}

/** Swaps in a token's busiest pool set its price. */
function pricesAny(pool: MarketPool): boolean {
  return pool.token0.pools[0] === pool || pool.token1.pools[0] === pool;
}

function pricesHub(pool: MarketPool): boolean {
  const { token0, token1 } = pool;
  return (
    (token0.asset.memo !== undefined && token0.pools[0] === pool) ||
    (token1.asset.memo !== undefined && token1.pools[0] === pool)
  );
}

function weigh(trades: TradeDay): number {
  // Even a day without trades takes up a map entry.
  return trades.count + 4;
}
