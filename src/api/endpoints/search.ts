import { defineEndpoint } from "../endpoint.ts";
import { query } from "../param.ts";
import {
  address,
  amount,
  blockNumber,
  count,
  each,
  later,
  listOf,
  nullable,
  optional,
  percent,
  price,
  text,
  time,
} from "../record.ts";
import { tokenFields } from "./shared-parts.ts";

/** Specification, endpoint 5 and Search result resource. The field names differ from those in the pool search. */
export const search = defineEndpoint("search", {
  command: "search",
  words: "query",
  path: "/search",
  summary: "Find tokens, pools and DEXes by name, symbol or address",
  examples: ["dexdata search weth", "dexdata search usdc --type tokens -o ndjson"],
  params: [query("query", { kind: "text" }, "Name, symbol or address", { required: true, flag: undefined })],
  reply: { kind: "groups", groups: ["tokens", "pools", "dexes"] },
  rows: {
    tokens: {
      name: "found-token",
      record: {
        ...tokenFields,
        fdv: nullable(amount),
        price_usd: nullable(price),
        volume_usd: nullable(amount),
        ...each("type status", later(optional(text))),
        liquidity_usd: later(nullable(amount)),
        price_usd_change: later(nullable(percent)),
      },
      identity: ["chain", "id"],
      columns: [
        { field: "symbol", title: "symbol", priority: 1 },
        { field: "name", title: "name", priority: 6 },
        { field: "chain", title: "network", priority: 2 },
        { field: "price_usd", title: "price USD", priority: 3 },
        { field: "volume_usd", title: "volume", priority: 5 },
        { field: "liquidity_usd", title: "liquidity", priority: 5.2 },
        { field: "fdv", title: "FDV", priority: 7 },
        { field: "id", title: "token", priority: 5.5 },
      ],
    },
    pools: {
      name: "found-pool",
      record: {
        id: address,
        // Here, the public service sends the factory or program address, which --dex does not accept.
        dex_id: optional(text),
        dex_name: optional(text),
        chain: text,
        created_at_block_number: optional(blockNumber),
        created_at: optional(time),
        volume_usd: nullable(amount),
        transactions: nullable(count),
        price_usd: nullable(price),
        ...each(
          "last_price_change_usd_5m last_price_change_usd_1h last_price_change_usd_24h",
          nullable(percent),
        ),
        tokens: optional(listOf({ ...tokenFields, chain: optional(text), added_at: optional(time) })),
      },
      identity: ["chain", "id"],
      columns: [
        { field: "tokens.0.symbol", title: "token 0", priority: 1 },
        { field: "tokens.1.symbol", title: "token 1", priority: 2 },
        { field: "chain", title: "network", priority: 3 },
        { field: "dex_name", title: "dex", priority: 8 },
        { field: "price_usd", title: "price 0 USD", priority: 5 },
        { field: "last_price_change_usd_5m", title: "change 5m", priority: 10 },
        { field: "last_price_change_usd_1h", title: "change 1h", priority: 11 },
        { field: "last_price_change_usd_24h", title: "change 24h", priority: 6 },
        { field: "volume_usd", title: "volume", priority: 7 },
        { field: "transactions", title: "txns", priority: 9 },
        { field: "id", title: "pool", priority: 7.5 },
      ],
      firstRows: 5,
    },
    dexes: {
      name: "found-dex",
      record: {
        ...each("id dex_id dex_name chain protocol", optional(text)),
        volume_usd_24h: nullable(amount),
        ...each("txns_24h pools_count", nullable(count)),
        created_at: optional(time),
      },
      identity: ["chain", "dex_id", "id"],
      columns: [
        { field: ["dex_id", "id"], title: "dex", priority: 1 },
        { field: "dex_name", title: "name", priority: 3 },
        { field: "chain", title: "network", priority: 2 },
        { field: "volume_usd_24h", title: "volume 24h", priority: 4 },
        { field: "txns_24h", title: "txns 24h", priority: 5 },
        { field: "pools_count", title: "pools", priority: 6 },
      ],
    },
  },
});
