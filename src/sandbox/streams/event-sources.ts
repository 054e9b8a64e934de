import type { Dialect } from "../sandbox-exchange.ts";
import type { Market } from "../market/types.ts";
import { candleSource } from "./candle-events.ts";
import { priceSource, writeLegacyPrice, writeTokenPrice } from "./price-events.ts";
import { poolReserveSource, tokenReserveSource } from "./reserve-events.ts";
import type { EventSource } from "./served-stream.ts";
import type { Subject } from "./subscriptions.ts";
import { transactionSource } from "./transaction-events.ts";

/** `at` is when the stream opens, in Unix seconds. */
export function sourceOf(subject: Subject, market: Market, dialect: Dialect, at: number): EventSource {
  switch (subject.method) {
    case "token_price":
      return priceSource(market, subject.token, at, writeTokenPrice(dialect), "token_price");
    case "t_p":
      return priceSource(market, subject.token, at, writeLegacyPrice, "t_p");
    case "pool":
      return transactionSource(market, "pool", () => [subject.pool]);
    case "token":
      return transactionSource(market, "token", (time) => market.poolsOfToken(subject.token, time));
    case "token_ohlcv":
      return candleSource(market, subject.token, subject.interval);
    case "pool_reserves":
      return poolReserveSource(market, subject.pool);
    case "token_reserves":
      return tokenReserveSource(market, subject.token);
  }
}
