import type { ContractEndpoint } from "../model/endpoint.ts";
import {
  address,
  amount,
  anything,
  count,
  everyWindow,
  listOf,
  nullable,
  optional,
  percent,
  price,
  record,
  text,
  time,
} from "../model/record.ts";
import { inNetwork, inversed, poolAddress } from "./shared-params.ts";

const window = record({
  last_price_usd_change: nullable(percent),
  volume_usd: nullable(amount),
  sell_usd: nullable(amount),
  buy_usd: nullable(amount),
  sells: nullable(count),
  buys: nullable(count),
  txns: nullable(count),
});

/** Specification, resource Pool; the names of base and quote token are wire-facts 4.3. */
export const pool: ContractEndpoint = {
  id: "pool",
  command: "pool",
  method: "GET",
  path: "/networks/{network}/pools/{pool_address}",
  summary: "one pool: tokens, price, and its activity over six windows",
  examples: [
    "dexdata pool ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
    "dexdata pools search base --limit 5 -o ndjson | dexdata pool base - -o ndjson",
  ],
  plan: "keyless",
  params: [inNetwork, poolAddress, inversed],
  reply: { kind: "single" },
  rows: {
    rows: {
      record: {
        id: address,
        chain: text,
        factory_id: optional(address),
        dex_id: text,
        dex_name: optional(text),
        created_at_block_number: optional(count),
        fee: nullable(percent),
        created_at: optional(time),
        base_token_id: optional(address),
        quote_token_id: optional(address),
        tokens: listOf({
          id: address,
          name: optional(text),
          symbol: optional(text),
          chain: optional(text),
          decimals: optional(count),
          added_at: optional(time),
          fdv: nullable(amount),
        }),
        last_price: nullable(price),
        last_price_usd: nullable(price),
        price_time: optional(time),
        last_updated: optional(time),
        ...everyWindow(optional(window)),
        price_stats: optional(anything),
        token_reserves: optional(anything),
      },
      identity: ["chain", "id"],
      columns: [
        { field: "id", title: "pool" },
        { field: "chain", title: "network" },
        { field: ["dex_name", "dex_id"], title: "dex" },
        { field: "tokens.0.symbol", title: "token 0" },
        { field: "tokens.1.symbol", title: "token 1" },
        { field: "last_price_usd", title: "price USD" },
        { field: "24h.last_price_usd_change", title: "24h" },
        { field: "24h.volume_usd", title: "volume 24h" },
        { field: "24h.txns", title: "txns 24h" },
      ],
    },
  },
};
