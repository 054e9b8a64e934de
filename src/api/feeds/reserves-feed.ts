import { amountText, type Feed, unixSeconds } from "../feed.ts";
import { address, amount, each, listOf, type NamedRecord, optional, price, text } from "../record.ts";

const tokenReservesEvent: NamedRecord = {
  name: "token-reserves-event",
  record: {
    chain: text,
    token_id: address,
    reserve: amountText,
    delta: optional(amountText),
    block: optional(text),
    price_usd: optional(price),
    ...each("reserve_usd delta_usd", optional(amount)),
    ...each("updated_at timestamp", optional(unixSeconds)),
  },
};

const poolReservesEvent: NamedRecord = {
  name: "pool-reserves-event",
  record: {
    chain: text,
    pool_id: address,
    ...each("block previous_block", optional(text)),
    tokens: listOf({
      token_id: address,
      reserve: amountText,
      delta: optional(amountText),
      price_usd: optional(price),
      ...each("reserve_usd delta_usd", optional(amount)),
    }),
    ...each("total_reserve_usd total_delta_usd", optional(amount)),
    ...each("timestamp block_timestamp", optional(unixSeconds)),
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
  times: ["timestamp", "block_timestamp", "updated_at"],
  isSeries: false,
  hasTimeIds: false,
  shown: [
    { title: "RESERVE", reads: "amount", names: ["total_reserve_usd", "reserve_usd"] },
    { title: "DELTA", reads: "amount", names: ["total_delta_usd", "delta_usd"] },
  ],
};
