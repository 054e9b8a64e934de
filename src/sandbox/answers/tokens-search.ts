import { writeInstant } from "../instant.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Market, TokenFacts } from "../market/types.ts";
import type { Answer, Asked } from "./answer.ts";
import { type Measure, type Search, searchPage } from "./search-page.ts";
import { searchWindow } from "./search-window.ts";
import { fdvUsd } from "./valuation.ts";
import { eachWindow, searchWindowSeconds } from "./windows.ts";

const DAY = 86_400;

export const answerNetworkTokensSearch: Answer = (asked) => searchPage(asked, tokenSearch(asked));
export const answerTokensSearch: Answer = (asked) => searchPage(asked, tokenSearch(asked));

/** Specification, endpoint 3. The price filters tokens and does not order them. */
function tokenSearch(asked: Asked): Search<TokenFacts> {
  const { market } = asked;
  const numbers = measures(asked);
  const price: Measure<TokenFacts> = (token, at) => market.tokenPriceUsd(token, at) ?? null;
  return {
    orders: { ...numbers, created_at: (token) => token.createdAt },
    filters: { ...numbers, price_usd: price },
    createdAt: (token) => token.createdAt,
    items: (networks, at) => networks.flatMap((network) => market.tokens(network, at)),
    further: [],
    lists: asked.state.tokenLists,
    row: (token, at, detailed) => tokenRow(asked, token, at, detailed),
    echoNetworks: (networks) => ({ chains: networks }),
  };
}

function measures({ market, state }: Asked): Readonly<Record<string, Measure<TokenFacts>>> {
  const volume =
    (seconds: number): Measure<TokenFacts> =>
    (token, at) =>
      state.tokenVolumes.of(market, token, at, seconds);
  return {
    volume_usd_24h: (token, at) => market.tokenActivity(token, at, DAY).volumeUsd,
    volume_usd_7d: volume(7 * DAY),
    volume_usd_30d: volume(30 * DAY),
    liquidity_usd: (token, at) => market.tokenLiquidityUsd(token, at),
    txns_24h: (token, at) => market.tokenActivity(token, at, DAY).txns,
    price_change_percentage_24h: (token, at) => market.tokenActivity(token, at, DAY).priceChange,
    fdv_usd: (token, at) => fdvUsd(market, token, at),
  };
}

/** Plain rows of the public service have no names and no counts; windows come with `detailed` in both dialects. */
function tokenRow(asked: Asked, token: TokenFacts, at: number, detailed: boolean): JsonObject {
  const { market, state } = asked;
  const day = market.tokenActivity(token, at, DAY);
  return {
    chain: token.network.id,
    address: token.address,
    price_usd: market.tokenPriceUsd(token, at) ?? null,
    price_change_percentage_24h: day.priceChange,
    volume_usd_24h: day.volumeUsd,
    volume_usd_7d: state.tokenVolumes.of(market, token, at, 7 * DAY),
    volume_usd_30d: state.tokenVolumes.of(market, token, at, 30 * DAY),
    liquidity_usd: market.tokenLiquidityUsd(token, at),
    fdv_usd: fdvUsd(market, token, at),
    txns_24h: day.txns,
    created_at: writeInstant(token.createdAt),
    ...(detailed || asked.dialect === "spec" ? description(market, token, at) : {}),
    ...(detailed ? enrichment(market, token, at) : {}),
  };
}

function description(market: Market, token: TokenFacts, at: number): JsonObject {
  return {
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    pools: market.poolsOfToken(token, at).length,
    has_image: token.hasImage,
  };
}

function enrichment(market: Market, token: TokenFacts, at: number): JsonObject {
  return {
    total_supply: token.totalSupply,
    description: token.description,
    website: token.website,
    explorer: token.explorer,
    ...eachWindow(searchWindowSeconds, (seconds) => searchWindow(market.tokenActivity(token, at, seconds))),
  };
}
