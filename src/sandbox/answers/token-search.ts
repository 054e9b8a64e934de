import { DAY, writeInstant } from "../wire/request-times.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import type { Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import type { Work } from "../work.ts";
import type { Answer, Asked } from "./answer.ts";
import { type Measure, searchPage } from "./search-page.ts";
import { fdvUsd, searchWindows, tokenPages } from "./figures.ts";

/** Specification, endpoint 3. The price is only a filter, not a sort order. */
export const answerTokensSearch: Answer = (asked) => {
  const { market } = asked;
  const numbers = measures(market);
  const price: Measure<Token> = (token, at) => market.tokenPriceUsd(token, at) ?? null;
  return searchPage(asked, {
    orders: { ...numbers, created_at: (token) => token.createdAt },
    filters: { ...numbers, price_usd: price },
    itemsOf: (network, at) => market.tokens(network, at),
    further: [],
    lists: asked.state.tokenLists,
    row: (token, at, detailed) => tokenRow(asked, token, at, detailed),
    echoNetworks: (networks) => ({ chains: networks }),
  });
};

function measures(market: Market): Readonly<Record<string, Measure<Token>>> {
  return {
    volume_usd_24h: (token, at) => market.tokenActivity(token, at, DAY).volumeUsd,
    volume_usd_7d: (token, at) => market.tokenActivity(token, at, 7 * DAY).volumeUsd,
    volume_usd_30d: (token, at) => market.tokenActivity(token, at, 30 * DAY).volumeUsd,
    liquidity_usd: (token, at) => market.tokenLiquidityUsd(token, at),
    txns_24h: (token, at) => market.tokenActivity(token, at, DAY).txns,
    price_change_percentage_24h: (token, at) => market.tokenPriceChange(token, at, DAY),
    fdv_usd: (token, at) => fdvUsd(market, token, at),
  };
}

/** The public service omits names and counts unless `detailed` is set. In both dialects, `detailed` adds windows. */
function* tokenRow(asked: Asked, token: Token, at: number, detailed: boolean): Work<JsonObject> {
  const { market } = asked;
  const day = market.tokenActivity(token, at, DAY);
  return {
    chain: token.network.id,
    address: token.address,
    price_usd: market.tokenPriceUsd(token, at) ?? null,
    price_change_percentage_24h: market.tokenPriceChange(token, at, DAY),
    volume_usd_24h: day.volumeUsd,
    volume_usd_7d: market.tokenActivity(token, at, 7 * DAY).volumeUsd,
    volume_usd_30d: market.tokenActivity(token, at, 30 * DAY).volumeUsd,
    liquidity_usd: market.tokenLiquidityUsd(token, at),
    fdv_usd: fdvUsd(market, token, at),
    txns_24h: day.txns,
    created_at: writeInstant(token.createdAt),
    ...(detailed || asked.dialect === "spec" ? description(market, token, at) : {}),
    ...(detailed ? { ...tokenPages(token), ...(yield* searchWindows(market, token, at)) } : {}),
  };
}

function description(market: Market, token: Token, at: number): JsonObject {
  return {
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    pools: market.poolsOfToken(token, at).length,
    has_image: token.hasImage,
  };
}
