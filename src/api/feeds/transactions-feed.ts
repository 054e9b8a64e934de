import type { Feed, ShownValue } from "../feed.ts";
import {
  address,
  amount,
  each,
  type NamedRecord,
  numberOrText,
  optional,
  price,
  text,
  time,
} from "../record.ts";

const transactionEvent: NamedRecord = {
  name: "transaction-event",
  record: {
    chain: text,
    pool_id: address,
    tx_hash: text,
    ...each("sender recipient token_0 token_1", optional(address)),
    block_number: optional(text),
    block_timestamp: time,
    ...each("amount_0 amount_1", numberOrText),
    ...each("amount_0_usd amount_1_usd", optional(amount)),
    ...each("price_0_usd price_1_usd", optional(price)),
    volume_usd: optional(amount),
  },
};

const parts: readonly ShownValue[] = [
  { title: "SIZE USD", reads: "amount", names: ["volume_usd"] },
  { title: "TOKEN 0", reads: "amount", names: ["amount_0"], shows: "amount 0" },
  { title: "TOKEN 1", reads: "amount", names: ["amount_1"], shows: "amount 1" },
];

/** A token trades in many pools, and on either side of a pair. */
const priceOfToken: ShownValue = {
  title: "PRICE USD",
  reads: "price",
  names: ["price_0_usd", "price_1_usd"],
  shows: "own side",
};

export const transactionsFeed: Feed<"transactions"> = {
  name: "transactions",
  path: "/sse/transactions",
  kinds: [
    { by: "pool", method: "pool", event: transactionEvent },
    {
      by: "token",
      method: "token",
      event: transactionEvent,
      shown: [priceOfToken, ...parts],
      isCostly: true,
    },
  ],
  events: new Set(["pool", "token"]),
  batches: "perhaps",
  plan: "dev",
  params: [],
  times: ["block_timestamp"],
  isSeries: false,
  hasTimeIds: false,
  shown: [{ title: "PRICE 0 USD", reads: "price", names: ["price_0_usd"] }, ...parts],
};
