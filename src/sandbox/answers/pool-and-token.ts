import { writeInstant, writeInstantMs } from "../request-times.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Activity, Market, PoolFacts, TokenFacts } from "../market/types.ts";
import { type Answer, networkOf, poolOf, tokenOf } from "./answer.ts";
import { eachWindow, fdvUsd, searchWindowSeconds, tokenNames, tokenPages, windowSeconds } from "./figures.ts";

/** Specification, resource Pool; `inversed` turns price and ratio round, sums in USD stay. */
export const answerPool: Answer = (asked) => {
  networkOf(asked);
  const inversed = asked.query.boolean("inversed") ?? false;
  const pool = poolOf(asked);
  const { market, at } = asked;
  const { price, priceUsd, time } = market.poolPrice(pool, at);
  const [token0, token1] = pool.tokens;
  const [base, quote] = inversed ? [token1, token0] : [token0, token1];
  return {
    id: pool.id,
    chain: pool.network.id,
    factory_id: pool.dex.factoryId,
    dex_id: pool.dex.dexId,
    dex_name: pool.dex.dexName,
    created_at_block_number: pool.createdAtBlockNumber,
    created_at: writeInstantMs(pool.createdAt),
    fee: pool.fee,
    tokens: pool.tokens.map((token) => poolToken(market, token, at)),
    base_token_id: base?.address,
    quote_token_id: quote?.address,
    last_price: inversed ? 1 / price : price,
    last_price_usd: inversed ? priceUsd / price : priceUsd,
    price_time: writeInstantMs(time),
    last_updated: writeInstantMs(lastTransaction(market, pool, at)),
    ...eachWindow(windowSeconds, (seconds) => poolWindow(market.poolActivity(pool, at, seconds))),
  };
};

/** A pool's data changes with its transactions; before the first one it stands as created. */
function lastTransaction(market: Market, pool: PoolFacts, at: number): number {
  return market.transactions(pool, { to: at, limit: 1 })[0]?.time ?? pool.createdAt;
}

function poolToken(market: Market, token: TokenFacts, at: number): JsonObject {
  return {
    ...tokenNames(token),
    added_at: writeInstantMs(token.addedAt),
    fdv: fdvUsd(market, token, at),
  };
}

function poolWindow(activity: Activity): JsonObject {
  return {
    last_price_usd_change: activity.priceChange,
    volume_usd: activity.volumeUsd,
    sell_usd: activity.sellUsd,
    buy_usd: activity.buyUsd,
    sells: activity.sells,
    buys: activity.buys,
    txns: activity.txns,
  };
}

/** Specification, resource Token detail. The public service adds to it and calls the counts sells and buys. */
export const answerToken: Answer = (asked) => {
  const token = tokenOf(asked);
  const { market, at } = asked;
  const isPublic = asked.dialect === "public";
  const priceUsd = market.tokenPriceUsd(token, at);
  const fdv = fdvUsd(market, token, at);
  const windows = isPublic ? searchWindowSeconds : windowSeconds;
  return {
    ...tokenNames(token),
    ...tokenPages(token),
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
