import { writeInstant } from "../instant.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Market, PoolFacts } from "../market/types.ts";
import { type Answer, type Asked, networkOf } from "./answer.ts";
import { createPoolTokens, type PoolTokens } from "./pool-tokens.ts";
import { type Further, type Measure, type Search, searchPage } from "./search-page.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

export const answerNetworkPoolsSearch: Answer = (asked) => searchPage(asked, poolSearch(asked));

/** The path across networks ignores `token_address` (wire-facts 4.8). */
export const answerPoolsSearch: Answer = (asked) => searchPage(asked, poolSearch(asked));

function poolSearch(asked: Asked): Search<PoolFacts> {
  const { market } = asked;
  const poolTokens = createPoolTokens(market);
  const { created_at: createdAt, ...filters } = measures(market);
  return {
    orders: { ...filters, created_at: createdAt },
    filters,
    createdAt: (pool) => pool.createdAt,
    items: (networks, at) => networks.flatMap((network) => market.pools(network, at)),
    further: [ofDex(asked), ...(asked.path.has("network") ? [ofToken(asked)] : [])],
    lists: asked.state.poolLists,
    row: (pool, at, detailed) => poolRow(asked, poolTokens, pool, at, detailed),
    echoNetworks: (networks, isAcross) => {
      if (!isAcross) return { network: networks[0] ?? "" };
      // Wire-facts 8: a text there, an array on token searches and in the specification.
      return { chains: asked.dialect === "public" ? networks.join(",") : networks };
    },
  };
}

/** Specification, "Pool search order_by accepted values". */
function measures(market: Market) {
  const volume =
    (seconds: number): Measure<PoolFacts> =>
    (pool, at) =>
      market.poolActivity(pool, at, seconds).volumeUsd;
  const change =
    (seconds: number): Measure<PoolFacts> =>
    (pool, at) =>
      market.poolPriceChange(pool, at, seconds);
  return {
    volume_usd_24h: volume(DAY),
    volume_usd_7d: volume(7 * DAY),
    volume_usd_30d: volume(30 * DAY),
    liquidity_usd: (pool: PoolFacts, at: number) => market.poolLiquidityUsd(pool, at),
    txns_24h: (pool: PoolFacts, at: number) => market.poolActivity(pool, at, DAY).txns,
    created_at: (pool: PoolFacts) => pool.createdAt,
    price_usd: (pool: PoolFacts, at: number) => market.poolPrice(pool, at).priceUsd,
    price_change_percentage_48h: change(2 * DAY),
    price_change_percentage_24h: change(DAY),
    price_change_percentage_6h: change(6 * HOUR),
    price_change_percentage_1h: change(HOUR),
    price_change_percentage_5m: change(300),
  };
}

/** The DEX id in any letter case; a display name is no id and finds nothing. */
function ofDex({ query }: Asked): Further<PoolFacts>[number] {
  const value = query.text("dex_name");
  const dexId = value?.toLowerCase();
  return { name: "dex_name", value, passes: (pool) => pool.dex.dexId.toLowerCase() === dexId };
}

function ofToken(asked: Asked): Further<PoolFacts>[number] {
  const value = asked.query.text("token_address");
  const token = value === undefined ? undefined : asked.market.token(networkOf(asked), value, asked.at);
  return {
    name: "token_address",
    value,
    passes: (pool) => token !== undefined && pool.tokens.some(({ address }) => address === token.address),
  };
}

/** Wire-facts 4.8. `transactions_24h` here, though the filter is `txns_24h`; never a bare `volume_usd`. */
function poolRow(
  { market, dialect }: Asked,
  poolTokens: PoolTokens,
  pool: PoolFacts,
  at: number,
  detailed: boolean,
): JsonObject {
  const day = market.poolActivity(pool, at, DAY);
  const change = (seconds: number): number | null => market.poolPriceChange(pool, at, seconds);
  return {
    id: pool.id,
    chain: pool.network.id,
    dex_id: pool.dex.dexId,
    dex_name: pool.dex.dexName,
    created_at: writeInstant(pool.createdAt),
    created_at_block_number: pool.createdAtBlockNumber,
    volume_usd_24h: day.volumeUsd,
    volume_usd_7d: market.poolActivity(pool, at, 7 * DAY).volumeUsd,
    volume_usd_30d: market.poolActivity(pool, at, 30 * DAY).volumeUsd,
    liquidity_usd: market.poolLiquidityUsd(pool, at),
    transactions_24h: day.txns,
    price_usd: market.poolPrice(pool, at).priceUsd,
    price_change_percentage_5m: change(300),
    price_change_percentage_1h: change(HOUR),
    price_change_percentage_6h: change(6 * HOUR),
    price_change_percentage_24h: day.priceChange,
    // The specification orders by it, so its dialect shows it; public rows were never seen with it.
    price_change_percentage_48h: dialect === "spec" ? change(2 * DAY) : undefined,
    fee: pool.fee,
    tokens: pool.tokens.map((token) => poolTokens(token, at, detailed)),
  };
}
