import { KNOT_SECONDS, KNOTS_A_DAY } from "./assets.ts";
import type { MarketPool, MarketToken } from "./catalogue.ts";
import { alignToBlock, DAY } from "./catalogue.ts";
import { hash, mix, toUnit } from "./hash.ts";
import { swapSize } from "./swap-size.ts";
import { countTrades, dayKey, tradesFromSecond } from "./trade-count.ts";
import type { TradeBook, TradeDay } from "./trade-rows.ts";
import { ADD, BUY, cell, FLAGS, FOLLOWS, LIQUIDITY, NO_TRADES, NO_USD, PRICE } from "./trade-rows.ts";
import { lastRowAt, RAW0, RAW1, REMOVE, SECOND, USD0, USD1, WIDTH } from "./trade-rows.ts";
import { isOwnCourse, pricingPool, undisturbedAtKnot, undisturbedUsd, usdBefore, usdColumn } from "./usd.ts";

/**
 * Makes one pool's transactions of a day. The day is cut into as many equal slots as it has transactions, one
 * falls into each: so they come in order without sorting, and still irregularly.
 *
 * @param scratch room for the rows of a day that is not kept
 */
export function makeTradeDay(
  book: TradeBook,
  pool: MarketPool,
  day: number,
  scratch?: Float64Array,
): TradeDay {
  const count = countTrades(pool, day);
  if (count === 0) return NO_TRADES;
  const key = dayKey(pool, day);
  const from = tradesFromSecond(pool, day);
  const slot = (DAY - from) / count;
  // A quiet day meets a knot once or never; remembering them would cost more than it saves.
  const knots = count < 24 ? undefined : new Float64Array(KNOTS_A_DAY + 1);
  const usd0Of = makeUsdCourse(book, pool, pool.token0, day);
  const usd1Of = makeUsdCourse(book, pool, pool.token1, day);
  const rows = scratch ?? new Float64Array(count * WIDTH);
  let second = 0;
  let price = 0;
  let usd0 = 0;
  let usd1 = 0;
  let followers = 0;

  for (let index = 0; index < count; index += 1) {
    const word = hash(key, index);
    const traits = mix(word ^ 0x5bd1e995);
    const flags = traitFlags(traits, index, followers);
    followers = (flags & FOLLOWS) === 0 ? 0 : followers + 1;
    if (followers === 0) second = alignToBlock(pool.clock, Math.floor(from + (index + toUnit(word)) * slot));

    const isSwap = (flags & LIQUIDITY) === 0;
    if (isSwap) {
      const undisturbed = knotPrice(pool, day, knots, second);
      price = undisturbed * (1 + pool.noise * (2 * toUnit(mix(traits ^ 0x2c1b3c6d)) - 1));
    }
    // An add or a remove leaves the prices that this pool makes as they are.
    if (usd0Of !== undefined && (isSwap || usd0Of.isForeign)) usd0 = usd0Of.at(second);
    if (usd1Of !== undefined && (isSwap || usd1Of.isForeign)) usd1 = usd1Of.at(second);
    if (isSwap && usd0Of === undefined) usd0 = price * usd1;
    if (isSwap && usd1Of === undefined) usd1 = usd0 / price;

    const size = swapSize(mix(traits ^ 0x165667b1)) * pool.swapUsd;
    const raw0 = Math.max(1, Math.round((size / usd0) * pool.token0.unit));
    const raw1 = Math.max(1, Math.round((raw0 / pool.token0.unit) * price * pool.token1.unit));
    const at = index * WIDTH;
    rows[at + SECOND] = second;
    rows[at + PRICE] = price;
    rows[at + RAW0] = raw0;
    rows[at + RAW1] = raw1;
    rows[at + USD0] = usd0;
    rows[at + USD1] = usd1;
    rows[at + FLAGS] = flags;
  }
  return { count, from, slot, rows, totals: sumRows(pool, rows, count) };
}

/** USD value of a swap: the larger of its two sides; 0 where the service has none. */
export function rowVolume(pool: MarketPool, rows: Float64Array, at: number): number {
  if (((rows[at + FLAGS] ?? 0) & NO_USD) !== 0) return 0;
  const side0 = pool.token0.isPriced
    ? ((rows[at + RAW0] ?? 0) / pool.token0.unit) * (rows[at + USD0] ?? 0)
    : 0;
  const side1 = pool.token1.isPriced
    ? ((rows[at + RAW1] ?? 0) / pool.token1.unit) * (rows[at + USD1] ?? 0)
    : 0;
  return side0 > side1 ? side0 : side1;
}

/** Follows in the same transaction 2 %, no USD value 3 %, adds 2 %, removes 1.5 %, and the rest are swaps. */
function traitFlags(traits: number, index: number, followers: number): number {
  let flags = 0;
  // At most three events a transaction; the day's first row is the first of its transaction, and a swap, so
  // that a day needs nothing of the day before.
  if (index > 0 && followers < 2 && (traits & 1023) < 20) flags |= FOLLOWS;
  if (((traits >>> 10) & 1023) < 31) flags |= NO_USD;
  const kind = (traits >>> 20) & 1023;
  if (index > 0 && kind < 20) return flags | ADD;
  if (index > 0 && kind < 36) return flags | REMOVE;
  return traits < 0 ? flags | BUY : flags;
}

function knotPrice(pool: MarketPool, day: number, knots: Float64Array | undefined, second: number): number {
  const place = second / KNOT_SECONDS;
  const knot = Math.floor(place);
  const from = recallKnot(pool, day, knots, knot);
  return from + (recallKnot(pool, day, knots, knot + 1) - from) * (place - knot);
}

function recallKnot(pool: MarketPool, day: number, knots: Float64Array | undefined, knot: number): number {
  const recalled = knots?.[knot] ?? 0;
  if (recalled !== 0) return recalled;
  const price = undisturbedAtKnot(pool, day, knot);
  if (knots !== undefined) knots[knot] = price;
  return price;
}

interface UsdCourse {
  /** Whether another pool prices the token. */
  readonly isForeign: boolean;
  /** USD price at a second of the day. */
  readonly at: (second: number) => number;
}

/** Undefined when the price follows from this pool's own swaps. */
function makeUsdCourse(
  book: TradeBook,
  pool: MarketPool,
  token: MarketToken,
  day: number,
): UsdCourse | undefined {
  const pricing = pricingPool(token);
  if (pricing === pool) {
    if (!isOwnCourse(token, pool)) return undefined;
    return { isForeign: false, at: (second) => undisturbedUsd(token.asset, day, second) };
  }
  const trades = book.day(pricing, day);
  const column = usdColumn(token, pricing);
  let before: number | undefined;
  return {
    isForeign: true,
    at: (second) => {
      const row = lastRowAt(trades, second);
      if (row >= 0) return cell(trades, row, column);
      before ??= usdBefore(book, token, day);
      return before;
    },
  };
}

function sumRows(pool: MarketPool, rows: Float64Array, count: number): TradeDay["totals"] {
  let volumeUsd = 0;
  let buyUsd = 0;
  let buys = 0;
  let swaps = 0;
  // The first row of a day is a swap.
  const open = rows[PRICE] ?? 0;
  let high = open;
  let low = open;
  let close = open;
  for (let at = 0; at < count * WIDTH; at += WIDTH) {
    const flags = rows[at + FLAGS] ?? 0;
    if ((flags & LIQUIDITY) !== 0) continue;
    const volume = rowVolume(pool, rows, at);
    volumeUsd += volume;
    swaps += 1;
    if ((flags & BUY) !== 0) {
      buyUsd += volume;
      buys += 1;
    }
    close = rows[at + PRICE] ?? 0;
    if (close > high) high = close;
    if (close < low) low = close;
  }
  return { volumeUsd, buyUsd, buys, swaps, txns: count, open, high, low, close };
}
