import type { Dialect } from "../dialect.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Market, TokenFacts } from "../market/types.ts";
import { plainDecimal } from "./plain-decimal.ts";
import { type EventSource, makeEvent } from "./stream-event.ts";
import { transactionsBetween } from "./transaction-events.ts";

/**
 * Specification, Streaming: an update when a swap moves the price, and none otherwise. Only the pool that prices
 * the token moves it, and the price is that of `multi/prices` at that second: of several swaps within a second,
 * what they lead to. A token without a price is silent.
 *
 * @param at unix seconds of the opening
 */
export function priceSource(
  market: Market,
  token: TokenFacts,
  at: number,
  write: (token: TokenFacts, price: string, time: number) => JsonObject,
  name: "token_price" | "t_p",
): EventSource {
  // By rank: the first one prices the token as long as the token is there.
  const [pool] = market.poolsOfToken(token, at);
  if (pool === undefined) return () => [];
  return (from, to) => {
    const swaps = transactionsBetween(market, pool, from, to).filter(({ kind }) => kind === "swap");
    const seconds = new Set(swaps.map(({ time }) => time));
    if (seconds.size === 0) return [];
    let before = market.tokenPriceUsd(token, from);
    return [...seconds].flatMap((time) => {
      const price = market.tokenPriceUsd(token, time);
      if (price === undefined || price === before) return [];
      before = price;
      return [makeEvent(name, time, write(token, plainDecimal(price), time))];
    });
  };
}

/** Specification, Streaming: `p` is a string; wire-facts 5.5 for the rest, where the last three say one time. */
export function writeTokenPrice(dialect: Dialect) {
  return ({ address, network }: TokenFacts, price: string, time: number): JsonObject => ({
    address,
    chain: network.id,
    p: dialect === "spec" ? price : undefined,
    price,
    timestamp: time,
    timestamp_price: time,
    token_price: time,
  });
}

/** The older form, which the public service still has beside the other. */
export function writeLegacyPrice({ address, network }: TokenFacts, price: string, time: number): JsonObject {
  return { a: address, c: network.id, p: price, t: time, t_p: time };
}
