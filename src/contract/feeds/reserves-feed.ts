import { amountText, type Feed, unixSeconds } from "../feed.ts";
import { address, amount, listOf, type NamedRecord, optional, price, text } from "../record.ts";

const tokenReservesEvent: NamedRecord = {
  name: "token-reserves-event",
  record: {
    chain: text,
    token_id: address,
    reserve: amountText,
    delta: optional(amountText),
    block: optional(text),
    price_usd: optional(price),
    reserve_usd: optional(amount),
    delta_usd: optional(amount),
    updated_at: optional(unixSeconds),
    timestamp: optional(unixSeconds),
  },
};

const poolReservesEvent: NamedRecord = {
  name: "pool-reserves-event",
  record: {
    chain: text,
    pool_id: address,
    block: optional(text),
    previous_block: optional(text),
    tokens: listOf({
      token_id: address,
      reserve: amountText,
      delta: optional(amountText),
      price_usd: optional(price),
      reserve_usd: optional(amount),
      delta_usd: optional(amount),
    }),
    total_reserve_usd: optional(amount),
    total_delta_usd: optional(amount),
    timestamp: optional(unixSeconds),
    block_timestamp: optional(unixSeconds),
  },
};

export const reservesFeed: Feed<"reserves"> = {
  name: "reserves",
  path: "/sse/reserves",
  kinds: [
    { by: "token", method: "token_reserves", event: tokenReservesEvent },
    { by: "pool", method: "pool_reserves", event: poolReservesEvent },
  ],
  events: new Set(["token_reserves", "pool_reserves"]),
  batches: "perhaps",
  plan: "free",
  params: [],
  hasTimeIds: false,
  shown: [
    { title: "RESERVE", reads: "amount", names: ["total_reserve_usd", "reserve_usd"] },
    { title: "DELTA", reads: "amount", names: ["total_delta_usd", "delta_usd"] },
  ],
};
