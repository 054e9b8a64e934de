import { describe, expect, test } from "vitest";
import { createMarket } from "../../harness/bundled-sandbox.ts";
import type { Pool, Token } from "../../../src/sandbox/market/pool.ts";
import type { Transaction } from "../../../src/sandbox/market/types.ts";
import { finish } from "../../../src/sandbox/work.ts";

const NOW = Date.parse("2026-10-15T13:07:35Z") / 1000;
const DAY = 86_400;
const market = createMarket({ seed: 1 });

function tokenOf(slug: string, symbol: string): Token {
  const network = market.network(slug);
  const token = network && market.tokens(network, NOW).find((one) => one.symbol === symbol);
  if (token === undefined) throw new Error(`${slug} has no ${symbol}`);
  return token;
}

function priceOf(slug: string, symbol: string, at = NOW): number {
  return market.tokenPriceUsd(tokenOf(slug, symbol), at) ?? 0;
}

describe("USD prices", () => {
  test("are near 1 for stablecoins, and plausible for well-known tokens", () => {
    for (let at = Date.UTC(2023, 0, 5) / 1000; at < NOW; at += 61 * DAY) {
      for (const symbol of ["USDC", "USDT", "DAI"])
        expect(Math.abs(priceOf("ethereum", symbol, at) - 1)).toBeLessThan(0.01);
      expect(priceOf("ethereum", "WETH", at)).toBeGreaterThan(1000);
      expect(priceOf("ethereum", "WETH", at)).toBeLessThan(7000);
      expect(priceOf("ethereum", "WBTC", at)).toBeGreaterThan(35_000);
      expect(priceOf("ethereum", "WBTC", at)).toBeLessThan(250_000);
      expect(priceOf("solana", "SOL", at)).toBeGreaterThan(50);
      expect(priceOf("solana", "SOL", at)).toBeLessThan(500);
    }
  });

  test("of the same asset match across networks", () => {
    const ether = priceOf("ethereum", "WETH");
    for (const slug of ["base", "arbitrum", "linea", "robinhood"]) {
      expect(Math.abs(priceOf(slug, "WETH") / ether - 1)).toBeLessThan(0.02);
    }
  });

  test("change over time", () => {
    const prices = Array.from({ length: 60 }, (_, index) => priceOf("ethereum", "WETH", NOW - index * 600));
    expect(new Set(prices).size).toBeGreaterThan(55);
  });

  test("range from a trillionth to ninety thousand, and are missing for a few tokens", () => {
    const prices: number[] = [];
    let unpriced = 0;
    for (const slug of ["ethereum", "solana", "base"]) {
      const network = market.network(slug);
      for (const token of network === undefined ? [] : market.tokens(network, NOW)) {
        const price = market.tokenPriceUsd(token, NOW);
        if (price === undefined) unpriced += 1;
        else prices.push(price);
      }
    }
    expect(Math.min(...prices)).toBeLessThan(1e-11);
    expect(Math.min(...prices)).toBeGreaterThan(1e-16);
    expect(Math.max(...prices)).toBeGreaterThan(5e4);
    expect(Math.max(...prices)).toBeLessThan(3e5);
    expect(unpriced / prices.length).toBeGreaterThan(0.01);
    expect(unpriced / prices.length).toBeLessThan(0.05);
  });

  test("are returned by no endpoint for a token without a price", () => {
    const network = market.network("ethereum");
    const token =
      network && market.tokens(network, NOW).find((one) => market.tokenPriceUsd(one, NOW) === undefined);
    if (token === undefined) throw new Error("no unpriced token");
    const month = { from: NOW - 30 * DAY, to: NOW, intervalSeconds: DAY };
    expect(finish(market.tokenCandles(token, month))).toEqual([]);
    for (const pool of market.poolsOfToken(token, NOW)) {
      const isToken0 = pool.tokens[0] === token;
      if (isToken0) expect(market.poolPrice(pool, NOW).priceUsd).toBe(0);
      for (const one of market.transactions(pool, { to: NOW, limit: 20 })) {
        expect(isToken0 ? one.price0Usd : one.price1Usd).toBeUndefined();
      }
    }
  });

  test("change with a swap of the token's busiest pool and at no other second", () => {
    const weth = tokenOf("ethereum", "WETH");
    const [busiest] = market.poolsOfToken(weth, NOW);
    if (busiest === undefined) throw new Error("no pool");
    const swaps = market.transactions(busiest, { from: NOW - 3600, to: NOW, limit: 1000 });
    const times = new Set(swaps.filter((one) => one.kind === "swap").map((one) => one.time));
    for (let at = NOW - 3599; at <= NOW; at += 1) {
      const isMoved = market.tokenPriceUsd(weth, at) !== market.tokenPriceUsd(weth, at - 1);
      expect(isMoved).toBe(times.has(at));
    }
  });
});

/** The largest tokens would need every pool of the network; these have few pools. */
const TOKENS: readonly (readonly [string, string])[] = [
  ["ethereum", "UNI"],
  ["ethereum", "PEPE"],
  ["solana", "TRUMP"],
  ["celo", "USDC"],
  ["arc", "EURC"],
];

function swapsOf(pools: readonly Pool[], from: number, to: number): Transaction[] {
  return pools
    .flatMap((pool) => market.transactions(pool, { from, to, limit: 100_000 }))
    .filter((one) => one.kind === "swap");
}

function volumeOf({ amount0, amount1, price0Usd, price1Usd, pool }: Transaction): number {
  const [size0 = 0, size1 = 0] = [amount0, amount1].map(
    (amount, index) => Math.abs(Number(amount)) / 10 ** (pool.tokens[index]?.decimals ?? 0),
  );
  return Math.max(size0 * (price0Usd ?? 0), size1 * (price1Usd ?? 0));
}

describe.each(TOKENS)("%s %s", (slug, symbol) => {
  const token = tokenOf(slug, symbol);
  const pools = market.poolsOfToken(token, NOW);

  test("is in each of its pools, and no other pool of the network contains it", () => {
    const network = market.network(slug);
    const holding = network && market.pools(network, NOW).filter((pool) => pool.tokens.includes(token));
    expect(pools).toEqual(holding);
    expect(pools.length).toBeGreaterThan(0);
  });

  test("has the sums of its pools as its activity", () => {
    for (const seconds of [60, 3600, DAY]) {
      const activity = market.tokenActivity(token, NOW, seconds);
      const swaps = swapsOf(pools, NOW - seconds + 1, NOW);
      // A token that leaves the pool is bought.
      const buys = swaps.filter((one) => (one.pool.tokens[0] === token ? one.amount0 : -one.amount0) < 0n);
      expect([activity.buys, activity.sells]).toEqual([buys.length, swaps.length - buys.length]);
      const counts = pools.map((pool) => market.transactionCount(pool, NOW - seconds + 1, NOW));
      expect(activity.txns).toBe(counts.reduce((sum, count) => sum + count, 0));
      // The amounts are rounded to raw units.
      expect(activity.volumeUsd).toBeCloseTo(
        swaps.map(volumeOf).reduce((sum, one) => sum + one, 0),
        1,
      );
      expect(activity.buyUsd).toBeCloseTo(
        buys.map(volumeOf).reduce((sum, one) => sum + one, 0),
        1,
      );
    }
  });

  // Minutes too: the only swap of a minute may have no USD value and so produce no candle.
  test.each([60, 3600])("has %d s candles of its USD price at all its pools' swaps", (intervalSeconds) => {
    const from = NOW - (NOW % 3600) - 5 * 3600;
    const candles = finish(market.tokenCandles(token, { from, to: NOW, intervalSeconds, asOf: NOW }));
    const swaps = swapsOf(pools, from, NOW).filter(
      (one) => one.price0Usd !== undefined || one.price1Usd !== undefined,
    );
    expect(candles.map((candle) => candle.timeOpen)).toEqual(
      [...new Set(swaps.map((one) => one.time - (one.time % intervalSeconds)))].toSorted((a, b) => a - b),
    );
    for (const candle of candles) {
      const inside = swaps.filter((one) => one.time >= candle.timeOpen && one.time < candle.timeClose);
      const last = Math.max(...inside.map((one) => one.time));
      expect(candle.close).toBe(market.tokenPriceUsd(token, last));
      expect(candle.volume).toBe(Math.round(inside.map(volumeOf).reduce((sum, one) => sum + one, 0)));
      expect(candle.high).toBeGreaterThanOrEqual(Math.max(candle.open, candle.close));
      expect(candle.low).toBeLessThanOrEqual(Math.min(candle.open, candle.close));
    }
  });
});

test("liquidity is positive, and 0 in a pool's first week", () => {
  const network = market.network("ethereum");
  for (const pool of network === undefined ? [] : market.pools(network, NOW)) {
    const liquidity = market.poolLiquidityUsd(pool, NOW);
    if (NOW - pool.createdAt < 7 * DAY) expect(liquidity).toBe(0);
    else expect(liquidity).toBeGreaterThan(0);
  }
});
