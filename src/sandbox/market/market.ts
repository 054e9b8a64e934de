import { createActivity } from "./activity.ts";
import { Catalogue } from "./pools.ts";
import { createCandles } from "./fold-candles.ts";
import { hash } from "./hash.ts";
import { createRows } from "./rows.ts";
import { listedPools } from "./strikes.ts";
import type { Market, MarketFaults } from "./types.ts";
import { liquidityOfPool, liquidityOfPools, priceOfPool, pricingPool, usdAt } from "./usd.ts";
import { NETWORK_ROWS, type NetworkFacts } from "../well-known.ts";

const noFaults: MarketFaults = {
  name: "",
  lateRows: [],
  latePools: [],
  withdrawnRows: [],
  reorgs: [],
  reachSeconds: Number.POSITIVE_INFINITY,
};

/** `seed` can be any integer; the well-known names are always the same. */
export function createMarket({ seed }: { seed: number }): Market {
  const catalogues = new Map(NETWORK_ROWS.map((row) => [row, new Catalogue(hash(0x6a09e667, seed), row)]));
  const catalogueOf = (network: NetworkFacts): Catalogue => {
    const catalogue = catalogues.get(network);
    if (catalogue === undefined) throw new Error(`${network.id}: not a network of this market`);
    return catalogue;
  };

  const marketWith = (faults: MarketFaults, rows = createRows(faults, seed)): Market => ({
    seed,
    faultName: faults.name,
    reachSeconds: faults.reachSeconds,
    withFaults: (chosen) => marketWith(chosen),
    networks: NETWORK_ROWS,
    network: (slug) => NETWORK_ROWS.find(({ id }) => id === slug),
    prepare: (network) => catalogueOf(network).fill(),
    prepareLookups: (network) => catalogueOf(network).index(),
    dexes: (network) => catalogueOf(network).dexes,
    pools: (network, at) => listedPools(catalogueOf(network).poolsAt(at), at, faults, seed),
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
  });
  return marketWith(noFaults);
}
