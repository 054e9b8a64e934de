import { writeInstantMs } from "../instant.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Activity, Market, PoolFacts, TokenFacts } from "../market/types.ts";
import { type Answer, networkOf, poolOf } from "./answer.ts";
import { fdvUsd } from "./valuation.ts";
import { eachWindow, windowSeconds } from "./windows.ts";

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
    id: token.address,
    name: token.name,
    symbol: token.symbol,
    chain: token.network.id,
    decimals: token.decimals,
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
