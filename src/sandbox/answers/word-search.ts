import type { DexFacts } from "../market/names.ts";
import type { Pool, Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import { invalidParam, missingParam } from "../wire/service-refusal.ts";
import { type Answer, supportedNetworks } from "./answer.ts";
import type { Dialect } from "../sandbox-exchange.ts";
import { DAY, writeInstant, writeInstantMs } from "../wire/request-times.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import { eachInSteps, type Work } from "../work.ts";
import { dexTotals, fdvUsd, poolsOfDex, tokenNames, tokenPages } from "./figures.ts";
import type { NetworkFacts } from "../well-known.ts";

// The specification has no paging for this endpoint.
const MAX_RESULTS = 20;

/** Specification, endpoint 5: matches names, symbols and addresses, ignoring case. */
export const answerSearch: Answer = function* search(asked) {
  const query = asked.query.raw("query");
  if (query === undefined) throw missingParam("query");
  const words = query.trim().toLowerCase();
  if (words === "") throw invalidParam("query", "must not be empty");
  if (isGeneric(words)) return { tokens: [], pools: [], dexes: [] };
  const { market, at, dialect } = asked;
  const networks = supportedNetworks(asked);
  const distances = new Map<Token, number>();
  const ofToken = (token: Token): number => {
    const known = distances.get(token);
    if (known !== undefined) return known;
    const distance = nearest(words, token.address, token.symbol, token.name);
    distances.set(token, distance);
    return distance;
  };
  // There are ten times as many pools as tokens, so token distances are cached.
  const ofPool = ({ id, tokens }: Pool): number =>
    tokens.reduce((least, token) => Math.min(least, ofToken(token)), nearest(words, id));
  const ofDex = ({ dexId, dexName }: DexFacts): number => nearest(words, dexId, dexName);
  for (const network of networks) yield* market.prepare(network);
  const tokens = yield* closest(networks, (network) => market.tokens(network, at), ofToken);
  const pools = yield* closest(networks, (network) => market.pools(network, at), ofPool);
  const dexes = yield* closest(networks, (network) => market.dexes(network), ofDex);
  return {
    tokens: yield* eachInSteps(tokens, (token) => foundToken(market, token, at, dialect)),
    pools: yield* eachInSteps(pools, (pool) => foundPool(market, pool, at, dialect)),
    dexes: yield* eachInSteps(dexes, (dex) => foundDex(market, dex, at)),
  };
};

function nearest(words: string, ...names: readonly string[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) least = Math.min(least, distanceOf(name.toLowerCase(), words));
  return least;
}

// Too many names contain these words.
const generic = new Set(["token", "coin", "pool", "swap", "dex", "protocol", "finance"]);

/** Specification, endpoint 5: generic terms may return nothing. */
function isGeneric(words: string): boolean {
  return words.length < 2 || generic.has(words);
}

/** 0 if the name equals the query, 1 if it starts with it, 2 if it contains it. Expects both in lower case. */
function distanceOf(name: string, words: string): number {
  const at = name.indexOf(words);
  if (at === -1) return Number.POSITIVE_INFINITY;
  if (name.length === words.length) return 0;
  return at === 0 ? 1 : 2;
}

function* closest<T>(
  networks: readonly NetworkFacts[],
  itemsOf: (network: NetworkFacts) => readonly T[],
  distance: (item: T) => number,
): Work<readonly T[]> {
  const hits: { readonly item: T; readonly distance: number; readonly place: number }[] = [];
  for (const network of networks) {
    for (const [place, item] of itemsOf(network).entries()) {
      const far = distance(item);
      if (far !== Number.POSITIVE_INFINITY) hits.push({ item, distance: far, place });
    }
    yield;
  }
  return hits
    .toSorted((a, b) => a.distance - b.distance || a.place - b.place)
    .slice(0, MAX_RESULTS)
    .map(({ item }) => item);
}

/** Specification, "Search result" resource, plus the price. The public service adds totals across a token's pools. */
function foundToken(market: Market, token: Token, at: number, dialect: Dialect): JsonObject {
  const row = {
    ...tokenNames(token),
    total_supply: token.totalSupply,
    fdv: fdvUsd(market, token, at),
    ...tokenPages(token),
    price_usd: market.tokenPriceUsd(token, at) ?? null,
  };
  if (dialect === "spec") return row;
  return {
    ...row,
    type: "",
    status: "visible",
    liquidity_usd: market.tokenLiquidityUsd(token, at),
    volume_usd: market.tokenActivity(token, at, DAY).volumeUsd,
    price_usd_change: market.tokenPriceChange(token, at, DAY),
  };
}

/** Only these rows have `volume_usd` and `transactions` without a window in the name. */
function foundPool(market: Market, pool: Pool, at: number, dialect: Dialect): JsonObject {
  const day = market.poolActivity(pool, at, DAY);
  return {
    id: pool.id,
    // The public service returns the factory or program here (wire-facts 4.10).
    dex_id: dialect === "public" ? pool.dex.factoryId : pool.dex.dexId,
    dex_name: pool.dex.dexName,
    chain: pool.network.id,
    created_at_block_number: pool.createdAtBlockNumber,
    created_at: writeInstantMs(pool.createdAt),
    volume_usd: day.volumeUsd,
    transactions: day.txns,
    price_usd: market.poolPrice(pool, at).priceUsd,
    last_price_change_usd_5m: market.poolPriceChange(pool, at, 300),
    last_price_change_usd_1h: market.poolPriceChange(pool, at, 3600),
    last_price_change_usd_24h: market.poolPriceChange(pool, at, DAY),
    tokens: pool.tokens.map((token) => ({
      ...tokenNames(token),
      ...tokenPages(token),
      added_at: writeInstantMs(token.addedAt),
    })),
  };
}

/** The specification does not define these rows; see wire-facts 4.10. */
function foundDex(market: Market, dex: DexFacts, at: number): JsonObject {
  const pools = poolsOfDex(market, dex, at);
  return {
    id: dex.dexId,
    dex_id: dex.dexId,
    dex_name: dex.dexName,
    chain: dex.network.id,
    protocol: dex.protocol,
    ...dexTotals(market, pools, at),
    created_at: writeInstant(Math.min(at, ...pools.map(({ createdAt }) => createdAt))),
  };
}
