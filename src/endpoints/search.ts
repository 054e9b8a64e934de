import type { ContractEndpoint } from "../model/endpoint.ts";
import { query } from "../model/param.ts";
import {
  address,
  amount,
  blockNumber,
  count,
  listOf,
  nullable,
  optional,
  percent,
  price,
  text,
  time,
} from "../model/record.ts";

const tokenFields = {
  id: address,
  name: optional(text),
  symbol: optional(text),
  chain: text,
  decimals: optional(count),
  total_supply: nullable(amount),
  description: optional(text),
  website: optional(text),
  explorer: optional(text),
};

/** Specification, endpoint 5 and resource Search result. The names here are not those of pool search. */
export const search: ContractEndpoint = {
  id: "search",
  command: "search",
  method: "GET",
  path: "/search",
  summary: "tokens, pools and DEXes by name, symbol or address",
  examples: ["dexdata search weth", "dexdata search usdc --type tokens -o ndjson"],
  plan: "keyless",
  params: [query("query", { kind: "text" }, "name, symbol or address", { required: true, flag: undefined })],
  reply: { kind: "groups", groups: ["tokens", "pools", "dexes"] },
  rows: {
    tokens: {
      record: {
        ...tokenFields,
        fdv: nullable(amount),
        price_usd: nullable(price),
        volume_usd: nullable(amount),
      },
      identity: ["chain", "id"],
      columns: [
        { field: "symbol", title: "symbol", priority: 1 },
        { field: "name", title: "name", priority: 6 },
        { field: "chain", title: "network", priority: 2 },
        { field: "price_usd", title: "price USD", priority: 3 },
        { field: "volume_usd", title: "volume", priority: 5 },
        { field: "fdv", title: "FDV", priority: 7 },
        { field: "id", title: "token", priority: 4 },
      ],
    },
    pools: {
      record: {
        id: address,
        // The factory or program address in public answers, so it is no value for --dex.
        dex_id: optional(text),
        dex_name: optional(text),
        chain: text,
        created_at_block_number: optional(blockNumber),
        created_at: optional(time),
        volume_usd: nullable(amount),
        transactions: nullable(count),
        price_usd: nullable(price),
        last_price_change_usd_5m: nullable(percent),
        last_price_change_usd_1h: nullable(percent),
        last_price_change_usd_24h: nullable(percent),
        tokens: optional(listOf({ ...tokenFields, chain: optional(text), added_at: optional(time) })),
      },
      identity: ["chain", "id"],
      columns: [
        { field: "tokens.0.symbol", title: "token 0", priority: 1 },
        { field: "tokens.1.symbol", title: "token 1", priority: 2 },
        { field: "chain", title: "network", priority: 3 },
        { field: "dex_name", title: "dex", priority: 8 },
        { field: "price_usd", title: "price USD", priority: 5 },
        { field: "last_price_change_usd_5m", title: "5m", priority: 10 },
        { field: "last_price_change_usd_1h", title: "1h", priority: 11 },
        { field: "last_price_change_usd_24h", title: "24h", priority: 6 },
        { field: "volume_usd", title: "volume", priority: 7 },
        { field: "transactions", title: "txns", priority: 9 },
        { field: "id", title: "pool", priority: 4 },
      ],
    },
    dexes: {
      record: {
        id: optional(text),
        dex_id: optional(text),
        dex_name: optional(text),
        chain: optional(text),
        protocol: optional(text),
        volume_usd_24h: nullable(amount),
        txns_24h: nullable(count),
        pools_count: nullable(count),
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
};
