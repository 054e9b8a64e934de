import type { Faults } from "../fault-kinds.ts";
import { Catalogue } from "./pools.ts";
import { createCandles } from "./fold-candles.ts";
import { hash } from "./hash.ts";
import type { Pool, Token } from "./pool.ts";
import { createRows, type Rows } from "./rows.ts";
import { createStrikes } from "./strikes.ts";
import { addSums, noSums, type Sums } from "./trades.ts";
import { liquidityOfPool, liquidityOfPools, priceOfPool, pricingPool, usdAt } from "./usd.ts";
import { rememberLatest } from "../recent.ts";
import { NETWORK_ROWS, type NetworkFacts } from "../well-known.ts";

/**
 * Everything is a pure function of seed and time, so the same request has the same result in any process. Times are in
 * Unix seconds. Trades and blocks occur on full seconds.
 */
export interface Market extends ReturnType<typeof createMarket> {}

/** `seed` can be any integer; the well-known names are always the same. */
export function createMarket({ seed }: { seed: number }) {
  const catalogues = new Map(NETWORK_ROWS.map((row) => [row, new Catalogue(hash(0x6a09e667, seed), row)]));
  const catalogueOf = (network: NetworkFacts): Catalogue => {
    const catalogue = catalogues.get(network);
    if (catalogue === undefined) throw new Error(`${network.id}: not a network of this market`);
    return catalogue;
  };

  const marketWith = (faults: Faults) => {
    const strikes = createStrikes(faults, seed);
    const rows = createRows(strikes);
    return {
      seed,
      /** The faults through which rows are seen; empty for the final market. */
      faultName: faults.map(({ text }) => text).join(),
      /** The age of the oldest transaction that is listed. May be Infinity. */
      reachSeconds: strikes.reachSeconds,
      /** The same market as a service with these faults shows it. Prices, liquidity and reserves are not affected. */
      withFaults: (chosen: Faults): Market => marketWith(chosen),
      networks: NETWORK_ROWS,
      network: (slug: string) => NETWORK_ROWS.find(({ id }) => id === slug),
      /** Creates the network's pools and tokens, which otherwise happens all at once when they are first needed. */
      prepare: (network: NetworkFacts) => catalogueOf(network).fill(),
      /** Also makes all IDs and addresses, so that a pool or token can be found by them. */
      prepareLookups: (network: NetworkFacts) => catalogueOf(network).index(),
      dexes: (network: NetworkFacts) => catalogueOf(network).dexes,
      /** All pools that are listed at `at`, busiest first. */
      pools: (network: NetworkFacts, at: number) => strikes.listedPools(catalogueOf(network).poolsAt(at), at),
      tokens: (network: NetworkFacts, at: number) => catalogueOf(network).tokensAt(at),
      /** EVM addresses match regardless of case, and other addresses only exactly. */
      pool: (network: NetworkFacts, id: string, at: number) => {
        const pool = catalogueOf(network).findPool(id);
        return pool !== undefined && pool.createdAt <= at ? pool : undefined;
      },
      token: (network: NetworkFacts, address: string, at: number) => {
        const token = catalogueOf(network).findToken(address);
        return token !== undefined && pricingPool(token).createdAt <= at ? token : undefined;
      },
      poolsOfToken: (token: Token, at: number) => token.pools.filter((pool) => pool.createdAt <= at),
      poolPrice: priceOfPool,
      poolLiquidityUsd: liquidityOfPool,
      /** Undefined for a token without a price. */
      tokenPriceUsd: (token: Token, at: number) =>
        token.isPriced && pricingPool(token).createdAt <= at ? usdAt(token, at) : undefined,
      tokenLiquidityUsd: (token: Token, at: number) => liquidityOfPools(token.pools, at),
      ...rows,
      ...createActivity(rows),
      ...createCandles(rows),
    };
  };
  return marketWith([]);
}

function createActivity(rows: Rows) {
  const sumPool = (pool: Pool, at: number, seconds: number): Sums =>
    rows.sum(pool, { after: at - seconds, to: at, asOf: at });
  /** Buys and sells are from the token's perspective. */
  const sumToken = (token: Token, at: number, seconds: number): Sums => {
    const sums = noSums();
    for (const pool of token.pools) {
      const ofPool = sumPool(pool, at, seconds);
      if (pool.tokens[0] !== token) {
        ofPool.buyUsd = ofPool.volumeUsd - ofPool.buyUsd;
        ofPool.buys = ofPool.swaps - ofPool.buys;
      }
      addSums(sums, ofPool);
    }
    return sums;
  };
  const activitiesOf = rememberLatest(() => new Map<number, Activity>());
  const tokenActivity = (token: Token, at: number, seconds: number): Activity => {
    const known = activitiesOf(token, at);
    const activity = known.get(seconds) ?? toActivity(sumToken(token, at, seconds));
    known.set(seconds, activity);
    return activity;
  };
  return {
    /** Covers `at - seconds < time <= at`. */
    poolActivity: (pool: Pool, at: number, seconds: number) => toActivity(sumPool(pool, at, seconds)),
    tokenActivity,
    /** Percent; null if there were no swaps in the window. The price is that of token0 in USD. */
    poolPriceChange: (pool: Pool, at: number, seconds: number) => {
      const hasTraded = sumPool(pool, at, seconds).swaps > 0;
      return hasTraded ? changeOf(pool.tokens[0], pool, at, seconds) : null;
    },
    tokenPriceChange: (token: Token, at: number, seconds: number) => {
      const { buys, sells } = tokenActivity(token, at, seconds);
      return buys + sells > 0 ? changeOf(token, pricingPool(token), at, seconds) : null;
    },
  };
}

type Activity = ReturnType<typeof toActivity>;

function toActivity({ volumeUsd, buyUsd, buys, swaps, txns }: Sums) {
  return { volumeUsd, buyUsd, sellUsd: volumeUsd - buyUsd, buys, sells: swaps - buys, txns };
}

/** Percent since the start of the window, or since the pool's first trade if that is later. */
function changeOf(token: Token, pool: Pool, at: number, seconds: number): number {
  return (usdAt(token, at) / usdAt(token, Math.max(at - seconds, pool.tradesFrom)) - 1) * 100;
}
