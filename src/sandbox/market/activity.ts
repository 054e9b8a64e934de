import type { Rows } from "./market-rows.ts";
import type { Sums } from "./trades.ts";
import type { Activity, PoolFacts, TokenFacts } from "./types.ts";
import { pricingPool, usdAt } from "./usd.ts";

/** Covers `at - seconds < time <= at`. */
export function activityOfPool(rows: Rows, pool: PoolFacts, at: number, seconds: number): Activity {
  return toActivity(sumPool(rows, pool, at, seconds));
}

/** Buys and sells are from the token's perspective. */
export function activityOfToken(
  rows: Rows,
  token: TokenFacts,
  pools: readonly PoolFacts[],
  at: number,
  seconds: number,
): Activity {
  const sums = { volumeUsd: 0, buyUsd: 0, buys: 0, swaps: 0, txns: 0 };
  for (const pool of pools) {
    const { volumeUsd, buyUsd, buys, swaps, txns } = sumPool(rows, pool, at, seconds);
    const isToken0 = pool.tokens[0] === token;
    sums.volumeUsd += volumeUsd;
    sums.buyUsd += isToken0 ? buyUsd : volumeUsd - buyUsd;
    sums.buys += isToken0 ? buys : swaps - buys;
    sums.swaps += swaps;
    sums.txns += txns;
  }
  return toActivity(sums);
}

/** The price of token0 in USD. */
export function priceChangeOfPool(rows: Rows, pool: PoolFacts, at: number, seconds: number): number | null {
  const hasTraded = sumPool(rows, pool, at, seconds).swaps > 0;
  return hasTraded ? changeOf(pool.tokens[0], pool, at, seconds) : null;
}

export function priceChangeOfToken(
  rows: Rows,
  token: TokenFacts,
  pools: readonly PoolFacts[],
  at: number,
  seconds: number,
): number | null {
  const hasTraded = pools.some((pool) => sumPool(rows, pool, at, seconds).swaps > 0);
  return hasTraded ? changeOf(token, pricingPool(token), at, seconds) : null;
}

function sumPool(rows: Rows, pool: PoolFacts, at: number, seconds: number): Sums {
  return rows.sum(pool, { after: at - seconds, to: at, asOf: at });
}

function toActivity({ volumeUsd, buyUsd, buys, swaps, txns }: Sums): Activity {
  return { volumeUsd, buyUsd, sellUsd: volumeUsd - buyUsd, buys, sells: swaps - buys, txns };
}

/** Percent since the start of the window, or since the pool's first trade if that is later. */
function changeOf(token: TokenFacts, pool: PoolFacts, at: number, seconds: number): number {
  return (usdAt(token, at) / usdAt(token, Math.max(at - seconds, pool.tradesFrom)) - 1) * 100;
}
