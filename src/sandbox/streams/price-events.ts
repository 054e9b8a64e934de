import type { Dialect } from "../sandbox-exchange.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import type { Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import { type EventSource, makeEvent } from "./served-stream.ts";
import { transactionsBetween } from "./transaction-events.ts";

/**
 * Specification, "Streaming": an update is sent only if a swap in the pool that prices the token moves the price. The
 * price equals that from `multi/prices` in the same second, after all of that second's swaps. `at` is when the stream
 * opens, in Unix seconds.
 */
export function priceSource(
  market: Market,
  token: Token,
  at: number,
  write: (token: Token, price: string, time: number) => JsonObject,
  name: "token_price" | "t_p",
): EventSource {
  // Pools are ordered by rank, and the first one always prices the token.
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

/** Specification, Streaming: `p` is a string. Wire-facts 5.5: the last three fields contain the same time. */
export function writeTokenPrice(dialect: Dialect) {
  return ({ address, network }: Token, price: string, time: number): JsonObject => ({
    address,
    chain: network.id,
    p: dialect === "spec" ? price : undefined,
    price,
    timestamp: time,
    timestamp_price: time,
    token_price: time,
  });
}

/** The older format, which the public service still supports. */
export function writeLegacyPrice({ address, network }: Token, price: string, time: number): JsonObject {
  return { a: address, c: network.id, p: price, t: time, t_p: time };
}

/** Uses no exponent and loses no digits, so a streamed `p` equals the `price_usd` from `multi/prices`. */
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
