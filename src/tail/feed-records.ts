import {
  address,
  amount,
  count,
  type Field,
  listOf,
  type NamedRecord,
  numberOrText,
  optional,
  price,
  text,
  time,
} from "../contract/record.ts";

// What an event of each kind holds (wire-facts 5.5; of the specification only `p`). Numbers that a double cannot hold
// come as text here.

const priceText: Field = { ...text, reads: "price" };
const amountText: Field = { ...text, reads: "amount" };
const unixSeconds: Field = { ...count, reads: "text" };

export const priceEvent: NamedRecord = {
  name: "price-event",
  record: {
    address,
    chain: text,
    p: optional(priceText),
    price: optional(priceText),
    timestamp: optional(unixSeconds),
    timestamp_price: optional(unixSeconds),
    token_price: optional(unixSeconds),
  },
};

export const transactionEvent: NamedRecord = {
  name: "transaction-event",
  record: {
    chain: text,
    pool_id: address,
    tx_hash: text,
    sender: optional(address),
    recipient: optional(address),
    token_0: optional(address),
    token_1: optional(address),
    block_number: optional(text),
    block_timestamp: time,
    amount_0: numberOrText,
    amount_1: numberOrText,
    amount_0_usd: optional(amount),
    amount_1_usd: optional(amount),
    price_0_usd: optional(price),
    price_1_usd: optional(price),
    volume_usd: optional(amount),
  },
};

export const candleEvent: NamedRecord = {
  name: "candle-event",
  record: {
    chain: text,
    token_id: address,
    interval: optional(text),
    timestamp: unixSeconds,
    open: price,
    high: price,
    low: price,
    close: price,
    avg: optional(price),
    volume_usd: optional(amount),
    txns: optional(count),
  },
};

export const tokenReservesEvent: NamedRecord = {
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

export const poolReservesEvent: NamedRecord = {
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
