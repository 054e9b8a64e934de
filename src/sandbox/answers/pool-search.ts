import { DAY, writeInstant } from "../wire/request-times.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import type { Pool, Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import type { Work } from "../work.ts";
import { type Answer, type Asked, networkOf } from "./answer.ts";
import { type Further, type Measure, searchPage } from "./search-page.ts";
import { fdvUsd, searchWindows, tokenNames, tokenPages } from "./figures.ts";

const HOUR = 3600;

/** The cross-network path ignores `token_address` (wire-facts 4.8). */
export const answerPoolsSearch: Answer = (asked) => {
  const { market } = asked;
  const poolTokens = createPoolTokens(market);
  const { created_at: createdAt, ...filters } = measures(market);
  return searchPage(asked, {
    orders: { ...filters, created_at: createdAt },
    filters,
    itemsOf: (network, at) => market.pools(network, at),
    further: [ofDex(asked), ...(asked.path.has("network") ? [ofToken(asked)] : [])],
    lists: asked.state.poolLists,
    row: (pool, at, detailed) => poolRow(asked, poolTokens, pool, at, detailed),
    echoNetworks: (networks, isAcross) => {
      if (!isAcross) return { network: networks[0] ?? "" };
      // Wire-facts 8: the public service sends a string here, but an array in token searches, as specified.
      return { chains: asked.dialect === "public" ? networks.join(",") : networks };
    },
  });
};

/** Specification, "Pool search order_by accepted values". */
function measures(market: Market) {
  const volume =
    (seconds: number): Measure<Pool> =>
    (pool, at) =>
      market.poolActivity(pool, at, seconds).volumeUsd;
  const change =
    (seconds: number): Measure<Pool> =>
    (pool, at) =>
      market.poolPriceChange(pool, at, seconds);
  return {
    volume_usd_24h: volume(DAY),
    volume_usd_7d: volume(7 * DAY),
    volume_usd_30d: volume(30 * DAY),
    liquidity_usd: (pool: Pool, at: number) => market.poolLiquidityUsd(pool, at),
    txns_24h: (pool: Pool, at: number) => market.poolActivity(pool, at, DAY).txns,
    created_at: (pool: Pool) => pool.createdAt,
    price_usd: (pool: Pool, at: number) => market.poolPrice(pool, at).priceUsd,
    price_change_percentage_48h: change(2 * DAY),
    price_change_percentage_24h: change(DAY),
    price_change_percentage_6h: change(6 * HOUR),
    price_change_percentage_1h: change(HOUR),
    price_change_percentage_5m: change(300),
  };
}

/** Filters by DEX ID, ignoring case. A display name matches nothing. */
function ofDex({ query }: Asked): Further<Pool> {
  const value = query.text("dex_name");
  const dexId = value?.toLowerCase();
  return { name: "dex_name", value, passes: (pool) => pool.dex.dexId.toLowerCase() === dexId };
}

function ofToken(asked: Asked): Further<Pool> {
  const value = asked.query.text("token_address");
  const token = value === undefined ? undefined : asked.market.token(networkOf(asked), value, asked.at);
  return {
    name: "token_address",
    value,
    passes: (pool) => token !== undefined && pool.tokens.some(({ address }) => address === token.address),
  };
}

/** Wire-facts 4.8: the field is `transactions_24h`, although the filter is `txns_24h`. */
function* poolRow(
  { market, dialect }: Asked,
  poolTokens: PoolTokens,
  pool: Pool,
  at: number,
  detailed: boolean,
): Work<JsonObject> {
  const tokens: JsonObject[] = [];
  for (const token of pool.tokens) tokens.push(yield* poolTokens(token, at, detailed));
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
    price_change_percentage_24h: change(DAY),
    // The specification allows ordering by this field, but it has never been seen in public rows.
    price_change_percentage_48h: dialect === "spec" ? change(2 * DAY) : undefined,
    fee: pool.fee,
    tokens,
  };
}

type PoolTokens = (token: Token, at: number, detailed: boolean) => Work<JsonObject>;

/** Formats tokens as in wire-facts 4.8. The same few tokens appear in many rows, so each is formatted only once. */
function createPoolTokens(market: Market): PoolTokens {
  const described = new Map<Token, JsonObject>();
  return function* describe(token, at, detailed) {
    const known = described.get(token);
    if (known !== undefined) return known;
    const made = detailed ? yield* detailedToken(market, token, at) : plainToken(token);
    described.set(token, made);
    return made;
  };
}

function plainToken(token: Token): JsonObject {
  return { id: token.address, chain: token.network.id, has_image: token.hasImage };
}

function* detailedToken(market: Market, token: Token, at: number): Work<JsonObject> {
  return {
    ...plainToken(token),
    ...tokenNames(token),
    ...tokenPages(token),
    added_at: writeInstant(token.addedAt),
    fdv: fdvUsd(market, token, at),
    ...(yield* searchWindows(market, token, at)),
  };
}
