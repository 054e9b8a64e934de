import type { Dialect } from "../dialect.ts";
import { writeInstant, writeInstantMs } from "../instant.ts";
import type { JsonObject } from "../json-writer.ts";
import type { DexFacts, Market, PoolFacts, TokenFacts } from "../market/types.ts";
import { fdvUsd } from "./valuation.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

/**
 * Specification, resource Search result, tokens[], and the price. What else the public service adds sums over all
 * pools of each token found, so the specification's dialect does without.
 */
export function foundToken(market: Market, token: TokenFacts, at: number, dialect: Dialect): JsonObject {
  return {
    id: token.address,
    name: token.name,
    symbol: token.symbol,
    chain: token.network.id,
    decimals: token.decimals,
    total_supply: token.totalSupply,
    fdv: fdvUsd(market, token, at),
    description: token.description,
    website: token.website,
    explorer: token.explorer,
    price_usd: market.tokenPriceUsd(token, at) ?? null,
    ...(dialect === "public" ? publicFigures(market, token, at) : {}),
  };
}

function publicFigures(market: Market, token: TokenFacts, at: number): JsonObject {
  const { volumeUsd, priceChange } = market.tokenActivity(token, at, DAY);
  return {
    type: "",
    status: "visible",
    liquidity_usd: market.tokenLiquidityUsd(token, at),
    volume_usd: volumeUsd,
    price_usd_change: priceChange,
  };
}

/** pools[]: `volume_usd` and `transactions` stand here and only here; other searches name the window. */
export function foundPool(market: Market, pool: PoolFacts, at: number, dialect: Dialect): JsonObject {
  const day = market.poolActivity(pool, at, DAY);
  return {
    id: pool.id,
    // The public service puts the factory or program here (wire-facts 4.10).
    dex_id: dialect === "public" ? pool.dex.factoryId : pool.dex.dexId,
    dex_name: pool.dex.dexName,
    chain: pool.network.id,
    created_at_block_number: pool.createdAtBlockNumber,
    created_at: writeInstantMs(pool.createdAt),
    volume_usd: day.volumeUsd,
    transactions: day.txns,
    price_usd: market.poolPrice(pool, at).priceUsd,
    last_price_change_usd_5m: market.poolPriceChange(pool, at, 300),
    last_price_change_usd_1h: market.poolPriceChange(pool, at, HOUR),
    last_price_change_usd_24h: day.priceChange,
    tokens: pool.tokens.map((token) => ({
      id: token.address,
      name: token.name,
      symbol: token.symbol,
      chain: token.network.id,
      decimals: token.decimals,
      total_supply: token.totalSupply,
      description: token.description,
      website: token.website,
      explorer: token.explorer,
      added_at: writeInstantMs(token.addedAt),
    })),
  };
}

/** dexes[]: the specification leaves it open; wire-facts 4.10. */
export function foundDex(market: Market, dex: DexFacts, at: number): JsonObject {
  const pools = market.pools(dex.network, at).filter((pool) => pool.dex === dex);
  const activities = pools.map((pool) => market.poolActivity(pool, at, DAY));
  return {
    id: dex.dexId,
    dex_id: dex.dexId,
    dex_name: dex.dexName,
    chain: dex.network.id,
    protocol: dex.protocol,
    volume_usd_24h: activities.reduce((sum, { volumeUsd }) => sum + volumeUsd, 0),
    txns_24h: activities.reduce((sum, { txns }) => sum + txns, 0),
    pools_count: pools.length,
    created_at: writeInstant(Math.min(at, ...pools.map(({ createdAt }) => createdAt))),
  };
}
