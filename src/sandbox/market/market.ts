import { activityOfPool, activityOfToken, createTokenVolumes, priceChangeOfPool } from "./activity.ts";
import { candlesOfPool, candlesOfToken } from "./fold-candles.ts";
import { hash } from "./hash.ts";
import type { MarketPool, MarketToken } from "./pool-catalogue.ts";
import { rememberLatest } from "./recent.ts";
import { createShelves, firstSeen } from "./shelves.ts";
import { createTradeBook } from "./trade-book.ts";
import { blockHashOf, countTransactions, findTransactions, listTransactions } from "./transactions.ts";
import type { Market, PoolFacts, TokenFacts } from "./types.ts";
import { liquidityOfPool, liquidityOfToken, priceOfPool, pricingPool, usdAtTime } from "./usd.ts";
import { NETWORK_ROWS } from "./well-known.ts";

/** Caches never affect results. `seed` can be any integer; the well-known names are always the same. */
export function createMarket({ seed }: { seed: number }): Market {
  const shelfOf = createShelves(hash(0x6a09e667, seed));
  const book = createTradeBook();
  const volumeOfToken = createTokenVolumes(book);
  const poolOf = ({ network, rank, id }: PoolFacts): MarketPool =>
    shelfOf(network).catalogue.pools[rank - 1] ?? missing(id);
  const tokenOf = ({ network, address }: TokenFacts): MarketToken =>
    shelfOf(network).findToken(address) ?? missing(address);

  return {
    seed,
    networks: NETWORK_ROWS,
    network: (slug) => NETWORK_ROWS.find(({ id }) => id === slug),
    dexes: (network) => shelfOf(network).catalogue.dexes,
    pools: (network, at) => shelfOf(network).pools(at),
    tokens: (network, at) => shelfOf(network).tokens(at),
    pool: (network, id, at) => {
      const pool = shelfOf(network).findPool(id);
      return pool !== undefined && pool.facts.createdAt <= at ? pool.facts : undefined;
    },
    token: (network, address, at) => {
      const token = shelfOf(network).findToken(address);
      return token !== undefined && firstSeen(token) <= at ? token.facts : undefined;
    },
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
      return usdAtTime(book, known, at);
    },
    tokenLiquidityUsd: (token, at) => liquidityOfToken(tokenOf(token), at),
    tokenActivity: rememberLatest((token, at, seconds) => activityOfToken(book, tokenOf(token), at, seconds)),
    tokenVolumeUsd: (token, at, seconds) => volumeOfToken(tokenOf(token), at, seconds),
    transactions: (pool, window) => listTransactions(book, poolOf(pool), window),
    transactionCount: (pool, from, to) => countTransactions(book, poolOf(pool), from, to),
    transactionsWithId: (pool, id, to) => findTransactions(book, poolOf(pool), id, to),
    blockHash: blockHashOf,
    poolCandles: (pool, window) => candlesOfPool(book, poolOf(pool), window),
    tokenCandles: (token, window) => candlesOfToken(book, tokenOf(token), window),
  };
}

function missing(id: string): never {
  throw new Error(`${id}: not of this market`);
}
