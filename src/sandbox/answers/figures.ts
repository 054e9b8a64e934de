import { DAY } from "../wire/request-times.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import type { DexFacts } from "../market/names.ts";
import type { Pool, Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import { eachInSteps, type Work } from "../work.ts";

/** The specification's activity windows, in seconds. Only search rows also have `1m`. */
export const windowSeconds = {
  "24h": 86_400,
  "6h": 21_600,
  "1h": 3600,
  "30m": 1800,
  "15m": 900,
  "5m": 300,
} as const;

export const searchWindowSeconds = { ...windowSeconds, "1m": 60 } as const;

export function* eachWindow<T>(
  windows: Readonly<Record<string, number>>,
  make: (seconds: number) => T,
): Work<Record<string, T>> {
  const made = yield* eachInSteps(
    Object.entries(windows),
    ([name, seconds]) => [name, make(seconds)] as const,
  );
  return Object.fromEntries(made);
}

/** Specification, "Token search row" resource. */
export function* searchWindows(market: Market, token: Token, at: number): Work<JsonObject> {
  return yield* eachWindow(searchWindowSeconds, (seconds) => {
    const { volumeUsd, buys, sells, txns } = market.tokenActivity(token, at, seconds);
    const change = market.tokenPriceChange(token, at, seconds);
    return { volume_usd: volumeUsd, buys, sells, txns, last_price_usd_change: change };
  });
}

/** Null for a token without a price. */
export function fdvUsd(market: Market, token: Token, at: number): number | null {
  const price = market.tokenPriceUsd(token, at);
  return price === undefined ? null : (price * Number(token.totalSupply)) / 10 ** token.decimals;
}

export function tokenNames({ address, name, symbol, network, decimals }: Token): JsonObject {
  return { id: address, name, symbol, chain: network.id, decimals };
}

export function tokenPages({ totalSupply, description, website, explorer }: Token): JsonObject {
  return { total_supply: totalSupply, description, website, explorer };
}

export function poolsOfDex(market: Market, dex: DexFacts, at: number): readonly Pool[] {
  return market.pools(dex.network, at).filter((pool) => pool.dex === dex);
}

export function dexTotals(market: Market, pools: readonly Pool[], at: number): JsonObject {
  const activities = pools.map((pool) => market.poolActivity(pool, at, DAY));
  return {
    volume_usd_24h: activities.reduce((sum, { volumeUsd }) => sum + volumeUsd, 0),
    txns_24h: activities.reduce((sum, { txns }) => sum + txns, 0),
    pools_count: pools.length,
  };
}
