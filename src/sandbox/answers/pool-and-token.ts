import { writeInstant, writeInstantMs } from "../wire/request-times.ts";
import type { Pool, Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import { type Answer, networkOf, poolOf, tokenOf } from "./answer.ts";
import { eachWindow, fdvUsd, searchWindowSeconds, tokenNames, tokenPages, windowSeconds } from "./figures.ts";

/** Specification, "Pool" resource. `inversed` inverts the prices, but not the USD amounts. */
export const answerPool: Answer = function* describePool(asked) {
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
    tokens: pool.tokens.map((token) => ({
      ...tokenNames(token),
      added_at: writeInstantMs(token.addedAt),
      fdv: fdvUsd(market, token, at),
    })),
    base_token_id: base.address,
    quote_token_id: quote.address,
    last_price: inversed ? 1 / price : price,
    last_price_usd: inversed ? priceUsd / price : priceUsd,
    price_time: writeInstantMs(time),
    last_updated: writeInstantMs(lastTransaction(market, pool, at)),
    ...(yield* eachWindow(windowSeconds, (seconds) => {
      const { volumeUsd, buyUsd, sellUsd, buys, sells, txns } = market.poolActivity(pool, at, seconds);
      const volumes = { volume_usd: volumeUsd, sell_usd: sellUsd, buy_usd: buyUsd };
      const change = market.poolPriceChange(pool, at, seconds);
      return { last_price_usd_change: change, ...volumes, sells, buys, txns };
    })),
  };
};

/** Only transactions change a pool, so this is its creation time if there are none. */
function lastTransaction(market: Market, pool: Pool, at: number): number {
  return market.transactions(pool, { to: at, limit: 1, asOf: at })[0]?.time ?? pool.createdAt;
}

/** Specification, "Token detail" resource. The public service adds fields and returns `sells` and `buys` as counts. */
export const answerToken: Answer = function* describeToken(asked) {
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
      ...(yield* eachWindow(windows, (seconds) => {
        const { volumeUsd, buyUsd, sellUsd, buys, sells, txns } = market.tokenActivity(token, at, seconds);
        // In units of the token.
        const volume = priceUsd === undefined ? 0 : volumeUsd / priceUsd;
        const volumes = { volume, volume_usd: volumeUsd };
        if (!isPublic) return { ...volumes, sell: sells, buy: buys, txns };
        const sides = { buy_usd: buyUsd, sell_usd: sellUsd, sells, buys, txns };
        return { ...volumes, ...sides, last_price_usd_change: market.tokenPriceChange(token, at, seconds) };
      })),
    },
  };
};

// A token's newest trade is nearly always in one of its busiest pools. Some tokens have thousands of pools.
const POOLS_READ = 20;

function lastTrade(market: Market, token: Token, at: number): number {
  const busiest = market.poolsOfToken(token, at).slice(0, POOLS_READ);
  return Math.max(token.addedAt, ...busiest.map((pool) => market.poolPrice(pool, at).time));
}
