import { writeInstant } from "../instant.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Activity, Market, TokenFacts } from "../market/types.ts";
import { type Answer, tokenOf } from "./answer.ts";
import { fdvUsd } from "./valuation.ts";
import { eachWindow, searchWindowSeconds, windowSeconds } from "./windows.ts";

/** Specification, resource Token detail. The public service adds to it and calls the counts sells and buys. */
export const answerToken: Answer = (asked) => {
  const token = tokenOf(asked);
  const { market, at } = asked;
  const isPublic = asked.dialect === "public";
  const priceUsd = market.tokenPriceUsd(token, at);
  const fdv = fdvUsd(market, token, at);
  const windows = isPublic ? searchWindowSeconds : windowSeconds;
  return {
    id: token.address,
    name: token.name,
    symbol: token.symbol,
    chain: token.network.id,
    decimals: token.decimals,
    total_supply: token.totalSupply,
    description: token.description,
    website: token.website,
    explorer: token.explorer,
    ...(isPublic ? { telegram: "", twitter: "", has_image: token.hasImage, fdv } : {}),
    added_at: writeInstant(token.addedAt),
    last_updated: writeInstant(lastTrade(market, token, at)),
    summary: {
      ...(isPublic ? { chain: token.network.id, id: token.address } : {}),
      price_usd: priceUsd ?? null,
      fdv,
      liquidity_usd: market.tokenLiquidityUsd(token, at),
      ...(isPublic ? { pools: market.poolsOfToken(token, at).length } : {}),
      ...eachWindow(windows, (seconds) => {
        const activity = market.tokenActivity(token, at, seconds);
        const volume = priceUsd === undefined ? 0 : activity.volumeUsd / priceUsd;
        return isPublic ? publicWindow(activity, volume) : summaryWindow(activity, volume);
      }),
    },
  };
};

/** `volume` is in units of the token. */
function summaryWindow({ volumeUsd, sells, buys, txns }: Activity, volume: number): JsonObject {
  return { volume, volume_usd: volumeUsd, sell: sells, buy: buys, txns };
}

function publicWindow(activity: Activity, volume: number): JsonObject {
  return {
    volume,
    volume_usd: activity.volumeUsd,
    buy_usd: activity.buyUsd,
    sell_usd: activity.sellUsd,
    sells: activity.sells,
    buys: activity.buys,
    txns: activity.txns,
    last_price_usd_change: activity.priceChange,
  };
}

// The newest trade of a token is all but always in one of its busiest pools, and some tokens stand in thousands.
const POOLS_ASKED = 20;

function lastTrade(market: Market, token: TokenFacts, at: number): number {
  const busiest = market
    .poolsOfToken(token, at)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, POOLS_ASKED);
  return Math.max(token.addedAt, ...busiest.map((pool) => market.poolPrice(pool, at).time));
}
