import type { Faults } from "../fault-kinds.ts";
import { createActivity } from "./activity.ts";
import { Catalogue } from "./pools.ts";
import { createCandles } from "./fold-candles.ts";
import { hash } from "./hash.ts";
import { createRows } from "./rows.ts";
import { createStrikes } from "./strikes.ts";
import type { Market } from "./types.ts";
import { liquidityOfPool, liquidityOfPools, priceOfPool, pricingPool, usdAt } from "./usd.ts";
import { NETWORK_ROWS, type NetworkFacts } from "../well-known.ts";

/** `seed` can be any integer; the well-known names are always the same. */
export function createMarket({ seed }: { seed: number }): Market {
  const catalogues = new Map(NETWORK_ROWS.map((row) => [row, new Catalogue(hash(0x6a09e667, seed), row)]));
  const catalogueOf = (network: NetworkFacts): Catalogue => {
    const catalogue = catalogues.get(network);
    if (catalogue === undefined) throw new Error(`${network.id}: not a network of this market`);
    return catalogue;
  };

  const marketWith = (faults: Faults): Market => {
    const strikes = createStrikes(faults, seed);
    const rows = createRows(strikes);
    return {
      seed,
      faultName: faults.map(({ text }) => text).join(),
      reachSeconds: strikes.reachSeconds,
      withFaults: marketWith,
      networks: NETWORK_ROWS,
      network: (slug) => NETWORK_ROWS.find(({ id }) => id === slug),
      prepare: (network) => catalogueOf(network).fill(),
      prepareLookups: (network) => catalogueOf(network).index(),
      dexes: (network) => catalogueOf(network).dexes,
      pools: (network, at) => strikes.listedPools(catalogueOf(network).poolsAt(at), at),
      tokens: (network, at) => catalogueOf(network).tokensAt(at),
      pool: (network, id, at) => {
        const pool = catalogueOf(network).findPool(id);
        return pool !== undefined && pool.createdAt <= at ? pool : undefined;
      },
      token: (network, address, at) => {
        const token = catalogueOf(network).findToken(address);
        return token !== undefined && pricingPool(token).createdAt <= at ? token : undefined;
      },
      poolsOfToken: (token, at) => token.pools.filter((pool) => pool.createdAt <= at),
      poolPrice: priceOfPool,
      poolLiquidityUsd: liquidityOfPool,
      tokenPriceUsd: (token, at) =>
        token.isPriced && pricingPool(token).createdAt <= at ? usdAt(token, at) : undefined,
      tokenLiquidityUsd: (token, at) => liquidityOfPools(token.pools, at),
      ...rows,
      ...createActivity(rows),
      ...createCandles(rows),
    };
  };
  return marketWith([]);
}
