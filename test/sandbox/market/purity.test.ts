import { describe, expect, test } from "vitest";
import { createMarket, createNewMarket } from "../../harness/bundled-sandbox.ts";
import type { Pool } from "../../../src/sandbox/market/pool.ts";
import type { Market } from "../../../src/sandbox/market/market.ts";

const NOW = Date.parse("2026-10-15T13:07:35Z") / 1000;
const DAY = 86_400;

function poolOf(market: Market, slug: string, place: number): Pool {
  const network = market.network(slug);
  const pool = network && market.pools(network, NOW)[place];
  if (pool === undefined) throw new Error(`${slug} has no pool at ${place}`);
  return pool;
}

type Question = (market: Market) => unknown;

const QUESTIONS: readonly Question[] = [
  (market) => market.dexes(poolOf(market, "ton", 0).network),
  ...[0, 1, 2, 7, 30, 400, 3000].flatMap((place): Question[] => [
    (market) => market.poolActivity(poolOf(market, "ethereum", place), NOW, 7 * DAY),
    (market) => market.transactions(poolOf(market, "ethereum", place), { to: NOW - 400 * DAY, limit: 7 }),
    (market) => market.transactions(poolOf(market, "ethereum", place), { to: NOW, limit: 7, skip: 20 }),
    (market) => market.poolPrice(poolOf(market, "ethereum", place), NOW),
    (market) => poolOf(market, "ethereum", place).tokens.map((token) => market.tokenPriceUsd(token, NOW)),
    (market) =>
      market.poolCandles(poolOf(market, "ethereum", place), {
        from: NOW - 9 * DAY,
        to: NOW,
        intervalSeconds: 6 * 3600,
      }),
  ]),
  (market) => market.poolActivity(poolOf(market, "ton", 3), NOW, DAY),
  (market) => market.tokenPriceUsd(poolOf(market, "sui", 3).tokens[0] ?? missing(), NOW),
  (market) => market.pools(poolOf(market, "aptos", 0).network, NOW - 500 * DAY).map(({ id }) => id),
];

/** As texts, without the pools of the rows: what these remember differs. */
function ask(market: Market, questions = QUESTIONS): readonly string[] {
  const shown = (name: string, value: unknown): unknown =>
    name === "pool" ? undefined : typeof value === "bigint" ? String(value) : value;
  return questions.map((question) => JSON.stringify(question(market), shown));
}

function missing(): never {
  throw new Error("no token");
}

describe("two markets with the same seed", () => {
  const [forward, backward] = [createNewMarket({ seed: 5 }), createNewMarket({ seed: 5 })];

  test("return the same results in any order of calls", () => {
    expect(ask(backward, QUESTIONS.toReversed()).toReversed()).toEqual(ask(forward));
  });

  test("return the same results after their caches overflow", () => {
    const before = ask(forward);
    for (const [slug, place, days] of [
      ["ethereum", 0, 400],
      ["polygon", 4, 900],
    ] as const) {
      const span = { from: NOW - days * DAY, to: NOW, intervalSeconds: 3600 };
      forward.poolCandles(poolOf(forward, slug, place), span);
    }
    expect(ask(forward)).toEqual(before);
  });

  test("know each other's pools", () => {
    const pool = poolOf(forward, "ethereum", 12);
    expect(backward.poolPrice(pool, NOW)).toEqual(forward.poolPrice(pool, NOW));
    expect(backward.pool(pool.network, pool.id, NOW)?.key).toBe(pool.key);
  });
});

describe("the past", () => {
  const market = createMarket({ seed: 1 });

  test("does not change as time passes", () => {
    const pool = poolOf(market, "ethereum", 5);
    const then = NOW - 3 * DAY;
    const window = { from: then - DAY, to: then, limit: 5000 };
    const before = market.transactions(pool, window);
    market.transactions(pool, { to: NOW + 100 * DAY, limit: 500 });
    expect(market.transactions(pool, window)).toEqual(before);
    const wider = market.transactions(pool, { from: then - DAY, to: then + 3600, limit: 5000 });
    expect(wider.filter((one) => one.time <= then)).toEqual(before);
  });

  test("starts in 2023, or with the pool", () => {
    const start = Date.UTC(2023, 0, 1) / 1000;
    const old = poolOf(market, "ethereum", 0);
    expect(old.createdAt).toBeLessThan(start);
    expect(market.transactionCount(old, 0, start - 1)).toBe(0);
    expect(market.transactionCount(old, start, start + DAY)).toBeGreaterThan(2000);
    const network = market.network("ethereum");
    const young =
      network &&
      market.pools(network, NOW).find((pool) => pool.createdAt > start + 100 * DAY && pool.rank < 40);
    if (young === undefined) throw new Error("no young pool");
    expect(market.transactionCount(young, 0, young.createdAt - 1)).toBe(0);
    expect(market.transactionCount(young, young.createdAt, young.createdAt + 2 * DAY)).toBeGreaterThan(50);
    const oldest = market
      .transactions(young, { from: 0, to: young.createdAt + 2 * DAY, limit: 10_000 })
      .at(-1);
    expect(oldest?.blockNumber).toBeGreaterThanOrEqual(young.createdAtBlockNumber);
    expect(market.poolPrice(young, young.createdAt - 10)).toMatchObject({ time: young.createdAt });
    expect(market.poolActivity(young, young.createdAt - 1, 30 * DAY)).toEqual({
      volumeUsd: 0,
      buyUsd: 0,
      sellUsd: 0,
      buys: 0,
      sells: 0,
      txns: 0,
    });
    expect(market.poolPriceChange(young, young.createdAt - 1, 30 * DAY)).toBeNull();
  });
});

test("times far outside the history return quickly and without data", () => {
  const market = createMarket({ seed: 1 });
  const pool = poolOf(market, "ethereum", 0);
  const weth = pool.tokens[1] ?? missing();
  const far = Date.UTC(9999, 0, 1) / 1000;
  expect(market.poolActivity(pool, far, DAY).txns).toBe(0);
  expect(market.poolActivity(pool, -far, DAY).txns).toBe(0);
  expect(market.transactionCount(pool, far, 2 * far)).toBe(0);
  expect(market.transactions(pool, { from: -far, to: 0, limit: 5 })).toEqual([]);
  expect(market.transactions(pool, { to: far, limit: 5 })).toHaveLength(5);
  expect(market.poolCandles(pool, { from: -far, to: 0, intervalSeconds: 60 })).toEqual([]);
  expect(market.poolCandles(pool, { from: far, to: 2 * far, intervalSeconds: 60 })).toEqual([]);
  expect(market.tokenPriceUsd(weth, -far)).toBeUndefined();
  // In one pool, 1934 must not be the same as 2024 in another.
  expect(market.poolActivity(pool, -13_000 * DAY, DAY).txns).toBe(0);
});

describe("candles", () => {
  const market = createMarket({ seed: 1 });
  const pool = poolOf(market, "ethereum", 0);
  const hour = NOW - (NOW % 3600);

  function opens(from: number, to: number): number[] {
    return market.poolCandles(pool, { from, to, intervalSeconds: 3600 }).map((candle) => candle.timeOpen);
  }

  test("of the current interval contain nothing after asOf", () => {
    const [whole] = market.poolCandles(pool, { from: hour, to: NOW, intervalSeconds: 3600 });
    const [running] = market.poolCandles(pool, { from: hour, to: NOW, intervalSeconds: 3600, asOf: NOW });
    expect(running?.open).toBe(whole?.open);
    expect(running?.volume).toBeLessThan(whole?.volume ?? 0);
    expect(running?.close).toBe(market.poolPrice(pool, NOW).price);
    expect(
      market.poolCandles(pool, { from: hour + 7200, to: hour + 9000, intervalSeconds: 60, asOf: NOW }),
    ).toEqual([]);
  });

  test("start at or after from, and before to", () => {
    expect(opens(hour, hour + 7200)).toEqual([hour, hour + 3600]);
    expect(opens(hour, hour + 7201)).toEqual([hour, hour + 3600, hour + 7200]);
    expect(opens(hour + 1, hour + 7200)).toEqual([hour + 3600]);
    expect(opens(hour, hour)).toEqual([]);
  });

  test("are omitted where there were no swaps", () => {
    const quiet = poolOf(market, "ethereum", 900);
    const candles = market.poolCandles(quiet, { from: hour - 5 * DAY, to: hour, intervalSeconds: 60 });
    expect(candles.length).toBeGreaterThan(0);
    expect(candles.length).toBeLessThan(100);
  });
});
