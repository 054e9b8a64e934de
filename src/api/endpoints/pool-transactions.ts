import { defineEndpoint, type Endpoint, onlyGroup, rowShape } from "../endpoint.ts";
import { internal, query } from "../param.ts";
import {
  address,
  amount,
  blockNumber,
  each,
  nullable,
  numberOrText,
  optional,
  position,
  price,
  text,
  time,
  tokenAmount,
  yesNo,
  tradeType,
  type tradeTypes,
} from "../record.ts";
import { inNetwork, numberedPaging, poolAddress } from "./shared-parts.ts";

/** In seconds. The public service returns transactions of the last 7 days only (wire-facts 4.6). */
export const transactionReach = 7 * 86_400;

/**
 * Specification, endpoint 1. Only the public service sends the factory, chain, volumes, block hash and `canonical_chain`
 * (wire-facts 4.6). The service includes both ends of the time range, and dexdata drops no rows.
 */
export const poolTransactions = defineEndpoint("pool_transactions", {
  command: "txns",
  lists: "trades",
  path: "/networks/{network}/pools/{pool_address}/transactions",
  summary: "List a pool's swaps and liquidity changes, newest first",
  examples: [
    "dexdata txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
    "dexdata txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --from -1h --all -o ndjson",
    "dexdata txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --from -1h --follow",
  ],
  note:
    "The service does not document the signs of amounts, so dexdata shows them as sent and does not call a swap a buy or a sell. TYPE is swap if " +
    "the two signs differ, liquidity if they are equal, and ? if an amount is missing or 0. The size of a swap is the mean of both sides in USD; the " +
    "size of a liquidity change is their sum. Colors show the sign of the first amount.",
  plan: "dev",
  withoutPlan: "dexdata pool {network} {pool_address}",
  params: [
    inNetwork,
    poolAddress,
    ...numberedPaging,
    internal("cursor", { kind: "text" }, "Transaction ID; rows after it are returned"),
    query("from", { kind: "time" }, "Only rows at or after this time"),
    query("to", { kind: "time" }, "Only rows before this time", {
      details: "; if the service also sends rows at exactly this time, they are in the output",
    }),
  ],
  reply: { kind: "numbered-pages", rows: "transactions", maxLimit: 100, handOverAfter: 100 },
  row: {
    isComplete: true,
    name: "transaction",
    record: {
      id: text,
      log_index: position,
      transaction_index: optional(position),
      factory_id: optional(address),
      pool_id: optional(address),
      chain: optional(text),
      sender: optional(address),
      recipient: { ...optional(numberOrText), reads: "address" },
      token_0: address,
      token_0_symbol: optional(text),
      token_1: address,
      token_1_symbol: optional(text),
      ...each("amount_0 amount_1", numberOrText),
      ...each("volume_0 volume_1", nullable(tokenAmount)),
      ...each("price_0 price_1 price_0_usd price_1_usd", nullable(price)),
      created_at_block_number: optional(blockNumber),
      created_at_block_hash: optional(text),
      created_at: time,
      canonical_chain: optional(yesNo),
    },
    identity: ["id", "log_index"],
    owned: { chain: "network", pool_id: "pool_address" },
    leading: ["chain", "pool_id"],
    ofMany: {
      record: {},
      columns: [
        { field: "pool_id", title: "asset", priority: 1.5, shows: "asset" },
        { field: "pool_id", title: "pool", priority: 11 },
      ],
    },
    columns: [
      { field: "created_at", title: "time", priority: 1 },
      { field: ["token_0_symbol", "amount_0"], title: "token 0", priority: 2, shows: "amount 0" },
      { field: ["token_1_symbol", "amount_1"], title: "token 1", priority: 3, shows: "amount 1" },
      { field: ["amount_0", "amount_1"], title: "type", priority: 5, shows: "type" },
      { field: "amount_0", title: "size USD", priority: 4, shows: "size" },
      { field: "price_0_usd", title: "price 0 USD", priority: 6 },
      { field: "price_1_usd", title: "price 1 USD", priority: 7 },
      { field: "created_at_block_number", title: "block", priority: 9 },
      { field: "sender", title: "sender", priority: 8 },
      { field: "id", title: "transaction", priority: 12 },
      { field: "log_index", title: "log index", priority: 10 },
    ],
  },
});

/** The fields that `--amounts tokens` adds to each row; see cli/commands/pull/trades.ts. */
export const tokenAmounts = {
  ...each("amount_0_tokens amount_1_tokens", { ...tokenAmount, type: text.type, nullable: true }),
  size_usd: { ...amount, nullable: true },
  type: tradeType,
};

export function withTokenAmounts(endpoint: Endpoint): Endpoint {
  const shape = rowShape(endpoint);
  const names = Object.keys(tokenAmounts);
  const columns = names.map((field, index) => ({ field, title: field, priority: 20 + index }));
  const ofService = shape.columns.filter(({ shows }) => shows !== "type" && shows !== "size");
  const row = { ...shape, columns: ofService, added: { record: tokenAmounts, columns, nulls: [] } };
  return { ...endpoint, rows: { [onlyGroup]: row } };
}

/**
 * The amounts of a swap have opposite signs, and those of a liquidity add or remove the same sign. `?` if an amount is
 * missing or 0: an add of only one token is not a swap.
 */
export type TradeType = (typeof tradeTypes)[number];

/** Takes the signs of the two amounts; NaN if an amount is missing. */
export function typeOfTrade(sign0: number, sign1: number): TradeType {
  const product = sign0 * sign1;
  if (product < 0) return "swap";
  return product > 0 ? "liquidity" : "?";
}

/** In USD, from the unsigned values of both sides. Both sides of a swap are worth the same, as in `volume_usd` of events. */
export function tradeSize(
  type: TradeType,
  value0: number | undefined,
  value1: number | undefined,
): number | undefined {
  if (value0 === undefined || value1 === undefined) return undefined;
  const sum = value0 + value1;
  return type === "swap" ? sum / 2 : sum;
}
