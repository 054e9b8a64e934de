import { betweenKnots, KNOTS_A_DAY } from "./assets.ts";
import { hash, mix, toUnit } from "./hash.ts";
import { alignToBlock, DAY, type MarketPool, type MarketToken } from "./pool-catalogue.ts";
import {
  cell,
  Column,
  countTrades,
  dayKey,
  type DayTotals,
  Flag,
  lastRowAt,
  NO_TRADES,
  rowVolume,
  type TradeBook,
  type TradeDay,
  tradesFromSecond,
  WIDTH,
} from "./trade-rows.ts";
import { isOwnCourse, pricingPool, undisturbedAtKnot, undisturbedUsd, usdBefore, usdColumn } from "./usd.ts";

/**
 * The day is divided into equal slots with one transaction each, so the transactions are in order without sorting, but
 * still irregular. `scratch` is a row buffer for a day that is not cached.
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
  const atKnot = makeKnotReader(pool, day, count);
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
    followers = (flags & Flag.follows) === 0 ? 0 : followers + 1;
    if (followers === 0) second = alignToBlock(pool.clock, Math.floor(from + (index + toUnit(word)) * slot));

    const isSwap = (flags & Flag.liquidity) === 0;
    if (isSwap) {
      const undisturbed = betweenKnots(second, atKnot);
      price = undisturbed * (1 + pool.noise * (2 * toUnit(mix(traits ^ 0x2c1b3c6d)) - 1));
    }
    // Adding or removing liquidity does not change the prices that this pool sets.
    if (usd0Of !== undefined && (isSwap || usd0Of.isForeign)) usd0 = usd0Of.at(second);
    if (usd1Of !== undefined && (isSwap || usd1Of.isForeign)) usd1 = usd1Of.at(second);
    if (isSwap && usd0Of === undefined) usd0 = price * usd1;
    if (isSwap && usd1Of === undefined) usd1 = usd0 / price;

    const size = swapSize(mix(traits ^ 0x165667b1)) * pool.swapUsd;
    const raw0 = Math.max(1, Math.round((size / usd0) * pool.token0.unit));
    const raw1 = Math.max(1, Math.round((raw0 / pool.token0.unit) * price * pool.token1.unit));
    const at = index * WIDTH;
    rows[at + Column.second] = second;
    rows[at + Column.price] = price;
    rows[at + Column.raw0] = raw0;
    rows[at + Column.raw1] = raw1;
    rows[at + Column.usd0] = usd0;
    rows[at + Column.usd1] = usd1;
    rows[at + Column.flags] = flags;
  }
  return { count, from, slot, rows, totals: sumRows(pool, rows, count) };
}

/** 2% follow in the same transaction, 3% have no USD value, 2% add liquidity, 1.5% remove it. */
function traitFlags(traits: number, index: number, followers: number): number {
  let flags = 0;
  // A transaction has at most three events. A day always starts a new one, so that days are independent of each other.
  if (index > 0 && followers < 2 && (traits & 1023) < 20) flags |= Flag.follows;
  if (((traits >>> 10) & 1023) < 31) flags |= Flag.noUsd;
  const kind = (traits >>> 20) & 1023;
  if (index > 0 && kind < 20) return flags | Flag.add;
  if (index > 0 && kind < 36) return flags | Flag.remove;
  return traits < 0 ? flags | Flag.buy : flags;
}

/** A quiet day uses each knot at most once, so caching would not help. */
function makeKnotReader(pool: MarketPool, day: number, count: number): (knot: number) => number {
  if (count < 24) return (knot) => undisturbedAtKnot(pool, day, knot);
  const known = new Float64Array(KNOTS_A_DAY + 1);
  return (knot) => {
    const kept = known[knot] ?? 0;
    if (kept !== 0) return kept;
    const price = undisturbedAtKnot(pool, day, knot);
    known[knot] = price;
    return price;
  };
}

interface UsdCourse {
  /** Another pool sets the token's price. */
  readonly isForeign: boolean;
  readonly at: (second: number) => number;
}

/** Undefined if the price is derived from this pool's own swaps. */
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

/** Uses local variables, because updating an object's fields takes twice as long. */
function sumRows(pool: MarketPool, rows: Float64Array, count: number): DayTotals {
  let volumeUsd = 0;
  let buyUsd = 0;
  let buys = 0;
  let swaps = 0;
  // A day's first row is always a swap.
  const open = rows[Column.price] ?? 0;
  let high = open;
  let low = open;
  let close = open;
  for (let at = 0; at < count * WIDTH; at += WIDTH) {
    const flags = rows[at + Column.flags] ?? 0;
    if ((flags & Flag.liquidity) !== 0) continue;
    const volume = rowVolume(pool, rows, at);
    volumeUsd += volume;
    swaps += 1;
    if ((flags & Flag.buy) !== 0) {
      buyUsd += volume;
      buys += 1;
    }
    close = rows[at + Column.price] ?? 0;
    if (close > high) high = close;
    if (close < low) low = close;
  }
  return { volumeUsd, buyUsd, buys, swaps, txns: count, open, high, low, close };
}

const SIZES = 4096;
const SPREAD = 1.4;

/** Log-normal: most swaps are small, and a few make up most of the volume. */
const table = makeTable();

/** Relative to the median. `word` can be any 32-bit integer. */
function swapSize(word: number): number {
  const place = (word >>> 20) & (SIZES - 1);
  const part = (word & 0xfffff) / 0x100000;
  const from = table[place] ?? 1;
  return from + ((table[place + 1] ?? from) - from) * part;
}

function makeTable(): Float64Array {
  const sizes = new Float64Array(SIZES + 1);
  for (let index = 0; index <= SIZES; index += 1) {
    sizes[index] = Math.exp(SPREAD * normalQuantile((index + 0.5) / (SIZES + 1)));
  }
  return sizes;
}

/** Winitzki's approximation of the inverse error function, accurate to about two digits. */
function normalQuantile(share: number): number {
  const side = 2 * share - 1;
  const logarithm = Math.log(1 - side * side);
  const half = 2 / (Math.PI * 0.147) + logarithm / 2;
  return Math.sign(side) * Math.SQRT2 * Math.sqrt(Math.sqrt(half * half - logarithm / 0.147) - half);
}
