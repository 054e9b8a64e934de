import type { Dialect } from "../sandbox-exchange.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Market, TokenFacts } from "../market/types.ts";
import { type EventSource, makeEvent } from "./served-stream.ts";
import { transactionsBetween } from "./transaction-events.ts";

/**
 * Specification, Streaming: an update when a swap moves the price, and only then. Only the pool that prices the token
 * moves it. The price equals `multi/prices` at that second: the result of all swaps within the second. A token without a
 * price has no events.
 *
 * `at`: unix seconds of the opening.
 */
export function priceSource(
  market: Market,
  token: TokenFacts,
  at: number,
  write: (token: TokenFacts, price: string, time: number) => JsonObject,
  name: "token_price" | "t_p",
): EventSource {
  // By rank: the first one always prices the token.
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

/** Specification, Streaming: `p` is a string; wire-facts 5.5 for the rest, where the last three are the same time. */
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

/** The older form, which the public service still has as well. */
export function writeLegacyPrice({ address, network }: TokenFacts, price: string, time: number): JsonObject {
  return { a: address, c: network.id, p: price, t: time, t_p: time };
}

/**
 * A double as a decimal without an exponent, in the fewest digits that read back as the same double: the stream's
 * `p` and the `price_usd` of `multi/prices` are then one number.
 */
export function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = "", first = "", rest = "", exponent = "0"] = match;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}
