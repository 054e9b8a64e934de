import type { MarketPool } from "./catalogue.ts";
import { FIRST_DAY, LAST_DAY } from "./catalogue.ts";
import { makeRecent } from "./recent.ts";
import { countTrades } from "./trade-count.ts";
import { makeTradeDay } from "./trade-day.ts";
import type { DayTotals, TradeBook, TradeDay } from "./trade-rows.ts";
import { NO_TRADES, WIDTH } from "./trade-rows.ts";

// Rows of 56 bytes: about 40 and 28 MB. Totals of some 120 bytes: about 20 MB.
const HUB_ROWS_KEPT = 700_000;
const ROWS_KEPT = 500_000;
const TOTALS_KEPT = 160_000;

export function createTradeBook(): TradeBook {
  // Most pools need the days of the few that price WETH and the like. Those have room of their own, or a month
  // of thousands of small pools would push them out and make them anew for each pool.
  const hubDays = makeRecent<TradeDay>(HUB_ROWS_KEPT, weigh);
  const otherDays = makeRecent<TradeDay>(ROWS_KEPT, weigh);
  const totals = makeRecent<DayTotals>(TOTALS_KEPT, () => 1);

  function day(pool: MarketPool, number: number): TradeDay {
    // Also keeps the keys apart: a day outside could have another pool's key.
    if (number < FIRST_DAY || number > LAST_DAY) return NO_TRADES;
    const key = keyOf(pool, number);
    const days = pricesHub(pool) ? hubDays : otherDays;
    const kept = days.get(key);
    if (kept !== undefined) return kept;
    const made = makeTradeDay(book, pool, number);
    days.set(key, made);
    return made;
  }

  let scratch = new Float64Array(0);

  /** Of a pool whose rows no other pool needs: they are made in one place, looked at and forgotten. */
  function totalsOf(pool: MarketPool, number: number, key: number): DayTotals {
    const kept = otherDays.get(key);
    if (kept !== undefined) return kept.totals;
    const size = countTrades(pool, number) * WIDTH;
    if (scratch.length < size) scratch = new Float64Array(size * 2);
    return makeTradeDay(book, pool, number, scratch).totals;
  }

  const book: TradeBook = {
    day,
    totals: (pool, number) => {
      if (number < FIRST_DAY || number > LAST_DAY) return NO_TRADES.totals;
      const key = keyOf(pool, number);
      const kept = totals.get(key);
      if (kept !== undefined) return kept;
      const made = pricesAny(pool) ? day(pool, number).totals : totalsOf(pool, number, key);
      totals.set(key, made);
      return made;
    },
  };
  return book;
}

function keyOf(pool: MarketPool, day: number): number {
  return pool.serial * 32_768 + day;
}

/** Whether it is the busiest pool of one of its tokens, so that its swaps are what the token costs. */
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
  // A day without a trade still takes a place in the map.
  return trades.count + 4;
}
