import { describe, expect, test } from "vitest";
import { createMarket } from "../../harness/bundled-sandbox.ts";
import { inverse } from "../../../src/sandbox/market/fold-candles.ts";
import { groupBy } from "../../../src/base/group-by.ts";
import type { Pool } from "../../../src/sandbox/market/pool.ts";
import type { Candle, Transaction, TransactionKey } from "../../../src/sandbox/market/types.ts";

const NOW = Date.parse("2026-10-15T13:07:35Z") / 1000;
const DAY = 86_400;
const market = createMarket({ seed: 1 });

function poolOf(slug: string, rank: number): Pool {
  const network = market.network(slug);
  const pool = network && market.pools(network, NOW).find((one) => one.rank >= rank);
  if (pool === undefined) throw new Error(`${slug} has no pool of rank ${rank}`);
  return pool;
}

/**
 * One pool of each kind: stable against volatile in both orders, priced elsewhere, tiny, three tokens, each
 * family.
 */
const POOLS: readonly (readonly [string, number])[] = [
  ["ethereum", 1],
  ["ethereum", 2],
  ["ethereum", 3],
  ["ethereum", 9],
  ["ethereum", 24],
  ["ethereum", 40],
  ["ethereum", 333],
  ["ethereum", 2500],
  ["solana", 2],
  ["sui", 3],
  ["aptos", 5],
  ["tron", 4],
  ["ton", 7],
  ["arc", 1],
];

/** Every transaction with from <= time <= to, newest first, a page at a time. */
function readAll(pool: Pool, from: number, to: number, limit = 100): Transaction[] {
  const all: Transaction[] = [];
  let before: TransactionKey | undefined;
  for (;;) {
    const page = market.transactions(pool, { from, to, before, limit });
    // A page whose rows do not descend would cause an endless loop.
    const [first] = page;
    if (before !== undefined && first !== undefined) expect(compareKeys(first, before)).toBeLessThan(0);
    all.push(...page);
    before = page.at(-1);
    if (before === undefined) return all;
  }
}

function compareKeys(left: TransactionKey, right: TransactionKey): number {
  return (
    left.blockNumber - right.blockNumber ||
    left.transactionIndex - right.transactionIndex ||
    left.logIndex - right.logIndex
  );
}

function sizeOf(amount: bigint, decimals: number | undefined): number {
  return Math.abs(Number(amount)) / 10 ** (decimals ?? 0);
}

/** The decision on counts defines this: max(abs(amount) / 10^decimals x USD price). */
function volumeOf({ amount0, amount1, price0Usd, price1Usd, pool }: Transaction): number {
  const [token0, token1] = pool.tokens;
  return Math.max(
    price0Usd === undefined ? 0 : sizeOf(amount0, token0?.decimals) * price0Usd,
    price1Usd === undefined ? 0 : sizeOf(amount1, token1?.decimals) * price1Usd,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function isClose(actual: number, expected: number, tolerance = 1e-9): boolean {
  return Math.abs(actual - expected) <= tolerance * Math.max(Math.abs(actual), Math.abs(expected));
}

describe.each(POOLS)("transactions of %s pool %d", (slug, rank) => {
  const pool = poolOf(slug, rank);
  const from = Math.max(NOW - Math.min(20, Math.ceil(rank / 8) + 1) * DAY, pool.createdAt);
  const all = readAll(pool, from, NOW);

  test("are strictly newest first, by time and by key", () => {
    expect(all.length).toBeGreaterThan(0);
    const wrong = all.filter((older, index) => {
      const newer = index === 0 ? undefined : all[index - 1];
      if (newer === undefined) return false;
      const areInOrder = compareKeys(newer, older) > 0 && newer.time >= older.time;
      const [blocks, seconds] = [newer.blockNumber - older.blockNumber, newer.time - older.time];
      return !areInOrder || Math.sign(blocks) !== Math.sign(seconds);
    });
    expect(wrong).toEqual([]);
    expect(all[0]?.time).toBeLessThanOrEqual(NOW);
    expect(all.at(-1)?.time).toBeGreaterThanOrEqual(from);
  });

  test("match their count", () => {
    expect(market.transactionCount(pool, from, NOW)).toBe(all.length);
  });

  test("are the same in one page, in pages by key and in pages by number", () => {
    const keys = all.map((one) => one.logIndex + one.blockNumber * 1e6);
    const few = market.transactions(pool, { from, to: NOW, limit: 500 });
    expect(few.map((one) => one.logIndex + one.blockNumber * 1e6)).toEqual(keys.slice(0, 500));
    const byNumber: number[] = [];
    for (let skip = 0; skip <= Math.min(all.length, 400); skip += 37) {
      const page = market.transactions(pool, { from, to: NOW, skip, limit: 37 });
      byNumber.push(...page.map((one) => one.logIndex + one.blockNumber * 1e6));
    }
    expect(byNumber).toEqual(keys.slice(0, byNumber.length));
    expect(byNumber.length).toBeGreaterThanOrEqual(Math.min(all.length, 400));
  });

  test("at the first and last second of a range are included", () => {
    const middle = all[all.length >> 1];
    if (middle === undefined) return;
    const same = all.filter((one) => one.time === middle.time);
    expect(market.transactions(pool, { from: middle.time, to: middle.time, limit: 10 })).toEqual(same);
    expect(market.transactionCount(pool, middle.time, middle.time)).toBe(same.length);
    expect(market.transactionCount(pool, middle.time + 1, middle.time)).toBe(0);
    const until = all.filter((one) => one.time <= middle.time);
    expect(market.transactionCount(pool, from, middle.time)).toBe(until.length);
    expect(market.transactionCount(pool, from, middle.time - 1)).toBe(until.length - same.length);
  });

  test("are swaps with opposite signs, and adds and removes with equal signs", () => {
    const signOf = (amount: bigint): string => (amount === 0n ? "0" : amount > 0n ? "+" : "-");
    const right = { swap: ["+-", "-+"], add: ["++"], remove: ["--"] };
    const wrong = all.filter(
      ({ kind, amount0, amount1 }) => !right[kind].includes(`${signOf(amount0)}${signOf(amount1)}`),
    );
    expect(wrong).toEqual([]);
  });

  test("have the price that follows from their amounts, except for rounding to raw units", () => {
    const [token0, token1] = pool.tokens;
    const wrong = all.filter((one) => {
      const size0 = sizeOf(one.amount0, token0?.decimals);
      const size1 = sizeOf(one.amount1, token1?.decimals);
      const rounding = 2 * 10 ** -(token1?.decimals ?? 0) + 1e-12 * size1;
      const isRight = Math.abs(size0 * one.price0 - size1) <= rounding;
      return !isRight || !isClose(one.price0 * one.price1, 1);
    });
    expect(wrong).toEqual([]);
  });

  test("have the USD prices of their tokens at that second", () => {
    const [token0, token1] = pool.tokens;
    if (token0 === undefined || token1 === undefined) throw new Error("two tokens");
    let compared = 0;
    for (const [index, one] of all.slice(0, 400).entries()) {
      // The price of a second is the price after its last transaction.
      if (one.price0Usd === undefined || all[index - 1]?.time === one.time) continue;
      expect(one.price0Usd).toBe(market.tokenPriceUsd(token0, one.time));
      expect(one.price1Usd).toBe(market.tokenPriceUsd(token1, one.time));
      expect(isClose((one.price0 * (one.price1Usd ?? 0)) / one.price0Usd, 1, 0.08)).toBe(true);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(0);
  });

  test("add up to the activity of any window", () => {
    for (const seconds of [60, 300, 3600, 6 * 3600, DAY, 5 * DAY]) {
      for (const at of [NOW, NOW - (NOW % DAY), NOW - (NOW % DAY) - 1, all[5]?.time ?? NOW]) {
        if (at - seconds < from) continue;
        const inside = all.filter((one) => one.time > at - seconds && one.time <= at);
        const swaps = inside.filter((one) => one.kind === "swap");
        // Token 0 leaves the pool, so it is bought.
        const buys = swaps.filter((one) => one.amount0 < 0n);
        const activity = market.poolActivity(pool, at, seconds);
        expect([activity.txns, activity.buys, activity.sells]).toEqual([
          inside.length,
          buys.length,
          swaps.length - buys.length,
        ]);
        // The amounts are rounded to raw units.
        expect(isClose(activity.volumeUsd, sum(swaps.map(volumeOf)), 1e-6)).toBe(true);
        expect(isClose(activity.buyUsd, sum(buys.map(volumeOf)), 1e-6)).toBe(true);
        expect(isClose(activity.buyUsd + activity.sellUsd, activity.volumeUsd)).toBe(true);
        expect(market.poolPriceChange(pool, at, seconds) === null).toBe(swaps.length === 0);
      }
    }
  });

  test("produce the candles of every interval", () => {
    for (const intervalSeconds of [60, 900, 3600, 6 * 3600, DAY, 2 * DAY]) {
      const start = Math.ceil(from / intervalSeconds) * intervalSeconds;
      const expected = fold(
        all.filter((one) => one.time >= start),
        intervalSeconds,
        (one) => one.price0,
      );
      const candles = market.poolCandles(pool, { from, to: NOW, intervalSeconds, asOf: NOW });
      expect(candles).toEqual(expected);
      expect(candles.map(inverse)).toEqual(
        fold(
          all.filter((one) => one.time >= start),
          intervalSeconds,
          (one) => one.price1,
        ),
      );
    }
  });

  test("are found by their IDs, all events of one together", () => {
    const byId = groupBy(all, ({ id }) => id);
    for (const one of all.slice(0, 300)) {
      const same = byId.get(one.id);
      if (same === undefined) throw new Error(`no event has the ID ${one.id}`);
      expect(market.transactionsWithId(pool, one.id, NOW)).toEqual(same);
      expect(new Set(same.map((event) => `${event.blockNumber} ${event.transactionIndex}`)).size).toBe(1);
      expect(market.transactionsWithId(pool, one.id, one.time - 1)).toEqual([]);
    }
    const id = all[0]?.id ?? "";
    const wrong = `${id.slice(0, -1)}${id.endsWith("2") ? "3" : "2"}`;
    for (const bad of [wrong, "", "0x", "nonsense", "0".repeat(64)]) {
      expect(market.transactionsWithId(pool, bad, NOW)).toEqual([]);
    }
  });

  test("follow the price of the pool", () => {
    const newest = all.find((one) => one.kind === "swap");
    const price = market.poolPrice(pool, NOW);
    expect(price.price).toBe(newest?.price0);
    expect(price.time).toBe(newest?.time);
    const [token0] = pool.tokens;
    expect(token0 && market.tokenPriceUsd(token0, NOW)).toBe(price.priceUsd);
  });
});

function fold(
  newestFirst: readonly Transaction[],
  interval: number,
  priceOf: (one: Transaction) => number,
): Candle[] {
  const candles = new Map<number, Transaction[]>();
  for (const one of newestFirst.toReversed().filter((each) => each.kind === "swap")) {
    const open = one.time - (one.time % interval);
    const swaps = candles.get(open);
    if (swaps === undefined) candles.set(open, [one]);
    else swaps.push(one);
  }
  return [...candles].map(([timeOpen, swaps]) => {
    const prices = swaps.map(priceOf);
    return {
      timeOpen,
      timeClose: timeOpen + interval,
      open: prices[0] ?? 0,
      high: Math.max(...prices),
      low: Math.min(...prices),
      close: prices.at(-1) ?? 0,
      volume: Math.round(sum(swaps.map(volumeOf))),
    };
  });
}

describe("the busiest pool", () => {
  const pool = poolOf("ethereum", 1);
  const all = readAll(pool, NOW - 3 * DAY, NOW);

  test("trades about four thousand times a day, pool number k about a k-th of that", () => {
    const days = 20;
    for (const rank of [1, 2, 10, 50]) {
      const count = market.transactionCount(poolOf("ethereum", rank), NOW - days * DAY, NOW - 1) / days;
      expect(count).toBeGreaterThan((4000 / rank) * 0.8);
      expect(count).toBeLessThan((4000 / rank) * 1.2);
    }
  });

  test("has transactions with two and three events, blocks with several transactions, and about 3 % without USD values", () => {
    const byId = new Map<string, number>();
    for (const { id } of all) byId.set(id, (byId.get(id) ?? 0) + 1);
    const sizes = [...byId.values()];
    expect(new Set(sizes)).toEqual(new Set([1, 2, 3]));
    const several = sizes.filter((size) => size > 1).length / sizes.length;
    expect(several).toBeGreaterThan(0.008);
    expect(several).toBeLessThan(0.04);
    expect(new Set(all.map((one) => one.blockNumber)).size).toBeLessThan(byId.size);
    const withoutUsd = all.filter((one) => one.price0Usd === undefined).length / all.length;
    expect(withoutUsd).toBeGreaterThan(0.02);
    expect(withoutUsd).toBeLessThan(0.04);
    for (const kind of ["add", "remove"]) {
      const share = all.filter((one) => one.kind === kind).length / all.length;
      expect(share).toBeGreaterThan(0.005);
      expect(share).toBeLessThan(0.04);
    }
  });

  test("never has more than three events in a transaction", () => {
    let longest = 0;
    let run = 0;
    let id = "";
    for (const one of market.transactions(pool, { from: NOW - 20 * DAY, to: NOW, limit: 1e6 })) {
      run = one.id === id ? run + 1 : 1;
      id = one.id;
      longest = Math.max(longest, run);
    }
    expect(longest).toBe(3);
  });

  test("has amounts that do not fit in a double", () => {
    expect(all.some(({ amount1 }) => BigInt(Number(amount1)) !== amount1)).toBe(true);
  });

  test("counts 12-second blocks from the public start block", () => {
    const known = Date.parse("2026-09-28T13:07:36Z") / 1000;
    for (const { time, blockNumber } of all.slice(0, 50))
      expect(blockNumber).toBe(26_076_150 + (time - known) / 12);
  });
});
