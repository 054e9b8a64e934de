import type { Dialect } from "../sandbox-exchange.ts";
import type { Market, PoolFacts, TokenFacts } from "../market/types.ts";
import type { StreamInterval } from "../../api/feeds/ohlcv-feed.ts";
import { candleSource } from "./candle-events.ts";
import { priceSource, writeLegacyPrice, writeTokenPrice } from "./price-events.ts";
import { poolReserveSource, tokenReserveSource } from "./reserve-events.ts";
import type { EventSource } from "./served-stream.ts";
import { poolTransactionSource, tokenTransactionSource } from "./transaction-events.ts";

export type Subject =
  | { readonly method: "pool" | "pool_reserves"; readonly pool: PoolFacts }
  | { readonly method: "token_ohlcv"; readonly token: TokenFacts; readonly interval: StreamInterval }
  | {
      readonly method: "token_price" | "t_p" | "token" | "token_reserves";
      readonly token: TokenFacts;
    };

/** Equal subscriptions have the same key, so their events are created only once. */
export function subjectKey(subject: Subject): string {
  const { network } = "pool" in subject ? subject.pool : subject.token;
  const id = "pool" in subject ? subject.pool.id : subject.token.address;
  const interval = "interval" in subject ? subject.interval : "";
  return [subject.method, interval, network.id, id].join(" ");
}

/** `at` is when the stream opens, in Unix seconds. */
export function sourceOf(subject: Subject, market: Market, dialect: Dialect, at: number): EventSource {
  switch (subject.method) {
    case "token_price":
      return priceSource(market, subject.token, at, writeTokenPrice(dialect), "token_price");
    case "t_p":
      return priceSource(market, subject.token, at, writeLegacyPrice, "t_p");
    case "pool":
      return poolTransactionSource(market, subject.pool);
    case "token":
      return tokenTransactionSource(market, subject.token);
    case "token_ohlcv":
      return candleSource(market, subject.token, subject.interval);
    case "pool_reserves":
      return poolReserveSource(market, subject.pool);
    case "token_reserves":
      return tokenReserveSource(market, subject.token);
  }
}
