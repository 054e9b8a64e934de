import { defineEndpoint } from "../endpoint.ts";
import {
  address,
  amount,
  anything,
  count,
  each,
  nullable,
  optional,
  percent,
  price,
  record,
  text,
  time,
  tokenAmount,
  windows,
  yesNo,
} from "../record.ts";
import { inNetwork, tokenAddress, tokenFields } from "./shared-parts.ts";

/** dexdata reads both sell and buy (specification) and sells and buys (public service, wire-facts 4.7). */
const window = record({
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
          ...each(`${windows} 1m`, optional(window)),
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
