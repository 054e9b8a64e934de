import { activityOfPool, activityOfToken, priceChangeOfPool } from "./activity.ts";
import { candlesOfPool, candlesOfToken } from "./candles.ts";
import type { MarketPool, MarketToken } from "./catalogue.ts";
import { DAY } from "./catalogue.ts";
import { hash } from "./hash.ts";
import { liquidityOfPool, liquidityOfToken } from "./liquidity.ts";
import { rememberLatest } from "./latest-asked.ts";
import { createListing } from "./listing.ts";
import { priceOfPool } from "./prices.ts";
import { createTradeBook } from "./trades.ts";
import { blockHashOf, countTransactions, findTransactions, listTransactions } from "./transactions.ts";
import type { Market, PoolFacts, TokenFacts } from "./types.ts";
import { pricingPool, usdAt } from "./usd.ts";

/**
 * The made-up market of the sandbox. Networks are made when first asked for, trades day by day; what is kept is
 * only kept for speed and changes no answer.
 *
 * @param options.seed any integer; another seed is another market with the same well-known names
 */
export function createMarket(options: { seed: number }): Market {
  const listing = createListing(hash(0x6a09e667, options.seed));
  const book = createTradeBook();
  const poolOf = (facts: PoolFacts): MarketPool => listing.marketPool(facts);
  const tokenOf = (facts: TokenFacts): MarketToken => listing.marketToken(facts);

  return {
    seed: options.seed,
    networks: listing.networks,
    network: listing.network,
    dexes: listing.dexes,
    pools: listing.pools,
    tokens: listing.tokens,
    pool: listing.pool,
    token: listing.token,
    poolsOfToken: (token, at) =>
      tokenOf(token)
        .pools.filter((pool) => pool.facts.createdAt <= at)
        .map((pool) => pool.facts),
    poolPrice: (pool, at) => priceOfPool(book, poolOf(pool), at),
    poolLiquidityUsd: (pool, at) => liquidityOfPool(poolOf(pool), at),
    poolActivity: rememberLatest((pool, at, seconds) => activityOfPool(book, poolOf(pool), at, seconds)),
    poolPriceChange: (pool, at, seconds) => priceChangeOfPool(book, poolOf(pool), at, seconds),
    tokenPriceUsd: (token, at) => {
      const known = tokenOf(token);
      if (!known.isPriced || pricingPool(known).facts.createdAt > at) return undefined;
      const day = Math.floor(at / DAY);
      return usdAt(book, known, day, at - day * DAY);
    },
    tokenLiquidityUsd: (token, at) => liquidityOfToken(tokenOf(token), at),
    tokenActivity: rememberLatest((token, at, seconds) => activityOfToken(book, tokenOf(token), at, seconds)),
    transactions: (pool, window) => listTransactions(book, poolOf(pool), window),
    transactionCount: (pool, from, to) => countTransactions(book, poolOf(pool), from, to),
    transactionsWithId: (pool, id, to) => findTransactions(book, poolOf(pool), id, to),
    blockHash: blockHashOf,
    poolCandles: (pool, window) => candlesOfPool(book, poolOf(pool), window),
    tokenCandles: (token, window) => candlesOfToken(book, tokenOf(token), window),
  };
}
