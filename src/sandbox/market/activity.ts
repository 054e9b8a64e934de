import type { Rows } from "./rows.ts";
import { noSums, type Sums } from "./trades.ts";
import type { Pool, Token } from "./pool.ts";
import type { Activity, Market } from "./types.ts";
import { pricingPool, usdAt } from "./usd.ts";

type Figures = "poolActivity" | "poolPriceChange" | "tokenActivity" | "tokenPriceChange";

export function createActivity(rows: Rows): Pick<Market, Figures> {
  const sumPool = (pool: Pool, at: number, seconds: number): Sums =>
    rows.sum(pool, { after: at - seconds, to: at, asOf: at });
  return {
    poolActivity: (pool, at, seconds) => toActivity(sumPool(pool, at, seconds)),
    // Buys and sells are from the token's perspective.
    tokenActivity: (token, at, seconds) => {
      const sums = noSums();
      for (const pool of token.pools) {
        const { volumeUsd, buyUsd, buys, swaps, txns } = sumPool(pool, at, seconds);
        const isToken0 = pool.tokens[0] === token;
        sums.volumeUsd += volumeUsd;
        sums.buyUsd += isToken0 ? buyUsd : volumeUsd - buyUsd;
        sums.buys += isToken0 ? buys : swaps - buys;
        sums.swaps += swaps;
        sums.txns += txns;
      }
      return toActivity(sums);
    },
    poolPriceChange: (pool, at, seconds) => {
      const hasTraded = sumPool(pool, at, seconds).swaps > 0;
      return hasTraded ? changeOf(pool.tokens[0], pool, at, seconds) : null;
    },
    tokenPriceChange: (token, at, seconds) => {
      const hasTraded = token.pools.some((pool) => sumPool(pool, at, seconds).swaps > 0);
      return hasTraded ? changeOf(token, pricingPool(token), at, seconds) : null;
    },
  };
}

function toActivity({ volumeUsd, buyUsd, buys, swaps, txns }: Sums): Activity {
  return { volumeUsd, buyUsd, sellUsd: volumeUsd - buyUsd, buys, sells: swaps - buys, txns };
}

/** Percent since the start of the window, or since the pool's first trade if that is later. */
function changeOf(token: Token, pool: Pool, at: number, seconds: number): number {
  return (usdAt(token, at) / usdAt(token, Math.max(at - seconds, pool.tradesFrom)) - 1) * 100;
}
