import { defineEndpoint } from "../endpoint.ts";
import {
  address,
  amount,
  anything,
  blockNumber,
  count,
  each,
  listOf,
  nullable,
  optional,
  percent,
  position,
  price,
  record,
  text,
  time,
  tokenAmount,
  windows,
  yesNo,
} from "../record.ts";
import { inNetwork, inversed, poolAddress, tokenAddress, tokenFields } from "./shared-parts.ts";

const poolWindow = record({
  last_price_usd_change: nullable(percent),
  ...each("volume_usd sell_usd buy_usd", nullable(amount)),
  ...each("sells buys txns", nullable(count)),
});

/** Specification, Pool resource. The field names for the base and quote tokens come from wire-facts 4.3. */
export const pool = defineEndpoint("pool", {
  command: "pool",
  path: "/networks/{network}/pools/{pool_address}",
  summary: "Show a pool: tokens, price and activity in six time windows",
  examples: [
    "dexdata pool ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
    "dexdata pools search base --limit 5 -o ndjson | dexdata pool base - -o ndjson",
  ],
  params: [inNetwork, poolAddress, inversed],
  reply: { kind: "single" },
  row: {
    isComplete: true,
    name: "pool",
    record: {
      id: address,
      chain: text,
      factory_id: optional(address),
      dex_id: text,
      dex_name: optional(text),
      created_at_block_number: optional(blockNumber),
      fee: nullable(percent),
      created_at: optional(time),
      ...each("base_token_id quote_token_id", optional(address)),
      tokens: listOf({
        id: address,
        ...each("name symbol chain", optional(text)),
        decimals: optional(position),
        added_at: optional(time),
        fdv: nullable(amount),
      }),
      ...each("last_price last_price_usd", nullable(price)),
      ...each("price_time last_updated", optional(time)),
      ...each(windows, optional(poolWindow)),
      ...each("price_stats token_reserves", optional(anything)),
    },
    identity: ["chain", "id"],
    owned: { chain: "network", id: "pool_address" },
    columns: [
      { field: "tokens.0.symbol", title: "token 0", priority: 2 },
      { field: "tokens.1.symbol", title: "token 1", priority: 3 },
      { field: "chain", title: "network", priority: 8 },
      { field: ["dex_name", "dex_id"], title: "dex", priority: 9 },
      { field: "fee", title: "fee", priority: 10 },
      { field: "last_price_usd", title: "price 0 USD", priority: 4 },
      { field: "24h.last_price_usd_change", title: "change 24h", priority: 5 },
      { field: "24h.volume_usd", title: "volume 24h", priority: 6 },
      { field: "24h.txns", title: "txns 24h", priority: 7 },
      { field: "created_at", title: "created", priority: 11 },
      { field: "id", title: "pool", priority: 6.5 },
    ],
  },
});

/** dexdata reads both sell and buy (specification) and sells and buys (public service, wire-facts 4.7). */
const tokenWindow = record({
  volume: nullable(tokenAmount),
  ...each("volume_usd buy_usd sell_usd", nullable(amount)),
  ...each("sell buy sells buys txns", nullable(count)),
  last_price_usd_change: nullable(percent),
});

/** Specification, Token detail resource. */
export const token = defineEndpoint("token", {
  command: "token",
  path: "/networks/{network}/tokens/{token_address}",
  summary: "Show a token: names, supply, price, liquidity and activity",
  examples: [
    "dexdata token ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    "dexdata token solana So11111111111111111111111111111111111111112 -o json",
  ],
  params: [inNetwork, tokenAddress],
  reply: { kind: "single" },
  row: {
    isComplete: true,
    name: "token",
    record: {
      ...tokenFields,
      ...each("telegram twitter", optional(text)),
      has_image: optional(yesNo),
      ...each("added_at last_updated", optional(time)),
      fdv: nullable(amount),
      price_stats: optional(anything),
      summary: optional(
        record({
          chain: optional(text),
          id: optional(address),
          price_usd: nullable(price),
          ...each("fdv liquidity_usd", nullable(amount)),
          pools: optional(count),
          ...each(`${windows} 1m`, optional(tokenWindow)),
        }),
      ),
    },
    identity: ["chain", "id"],
    owned: { chain: "network", id: "token_address" },
    columns: [
      { field: "symbol", title: "symbol", priority: 2 },
      { field: "name", title: "name", priority: 6 },
      { field: "chain", title: "network", priority: 5 },
      { field: "summary.price_usd", title: "price USD", priority: 3 },
      { field: "summary.24h.last_price_usd_change", title: "change 24h", priority: 9 },
      { field: "summary.24h.volume_usd", title: "volume 24h", priority: 4 },
      { field: "summary.liquidity_usd", title: "liquidity", priority: 7 },
      { field: ["summary.fdv", "fdv"], title: "FDV", priority: 8 },
      { field: "id", title: "token", priority: 7.5 },
    ],
  },
});
