import { defineEndpoint, type RowShape } from "../endpoint.ts";
import { choice, query } from "../param.ts";
import {
  address,
  amount,
  blockNumber,
  count,
  everyWindow,
  inDetail,
  listOf,
  nullable,
  optional,
  percent,
  price,
  text,
  time,
  windows,
  yesNo,
} from "../record.ts";
import {
  acrossNetworks,
  chains,
  cursorPages,
  cursorPaging,
  inNetwork,
  range,
  searchFilters,
  searchWindow,
} from "./shared-parts.ts";

/** Specification, "Pool search order_by accepted values". */
const poolOrders = [
  "volume_usd_24h",
  "volume_usd_7d",
  "volume_usd_30d",
  "liquidity_usd",
  "txns_24h",
  "created_at",
  "price_usd",
  "price_change_percentage_48h",
  "price_change_percentage_24h",
  "price_change_percentage_6h",
  "price_change_percentage_1h",
  "price_change_percentage_5m",
] as const;

const priceChanges = ["48h", "24h", "6h", "1h", "5m"].flatMap((window) =>
  range(`price_change_percentage_${window}`, "price change", ` of ${window} in percent`),
);

const filters = [
  query("dex_name", { kind: "text" }, "only this DEX", {
    details: ": its dex_id as `dexdata dexes` lists it",
    flag: "dex",
  }),
  ...searchFilters(
    priceChanges,
    choice(poolOrders, { volume_usd: "the service no longer takes it; use volume_usd_24h" }),
  ),
];

/** The cross-network path silently ignores token_address, so only the per-network endpoint has it. */
const ofToken = query("token_address", { kind: "address" }, "only pools of this token", { flag: "token" });

/** Rows have transactions_24h, although the filter is txns_24h, and no plain volume_usd. */
const row: RowShape = {
  name: "pool-row",
  record: {
    id: address,
    chain: text,
    dex_id: optional(text),
    dex_name: optional(text),
    created_at: optional(time),
    created_at_block_number: optional(blockNumber),
    volume_usd_24h: nullable(amount),
    volume_usd_7d: nullable(amount),
    volume_usd_30d: nullable(amount),
    liquidity_usd: nullable(amount),
    transactions_24h: nullable(count),
    price_usd: nullable(price),
    price_change_percentage_5m: nullable(percent),
    price_change_percentage_1h: nullable(percent),
    price_change_percentage_6h: nullable(percent),
    price_change_percentage_24h: nullable(percent),
    fee: nullable(percent),
    // With detailed=true, names and windows are in each token, not next to the tokens (wire-facts 4.8).
    tokens: optional(
      listOf({
        id: address,
        chain: optional(text),
        has_image: optional(yesNo),
        name: inDetail(text),
        symbol: inDetail(text),
        decimals: inDetail(count),
        fdv: inDetail(nullable(amount)),
        ...everyWindow(inDetail(searchWindow), [...windows, "1m"]),
      }),
    ),
  },
  identity: ["chain", "id"],
  columns: [
    { field: "tokens.0.symbol", title: "token 0", priority: 1 },
    { field: "tokens.1.symbol", title: "token 1", priority: 2 },
    { field: "chain", title: "network", priority: 12 },
    { field: ["dex_name", "dex_id"], title: "dex", priority: 7 },
    { field: "fee", title: "fee", priority: 10 },
    { field: "price_usd", title: "price USD", priority: 3 },
    { field: "price_change_percentage_5m", title: "5m", priority: 15 },
    { field: "price_change_percentage_1h", title: "1h", priority: 13 },
    { field: "price_change_percentage_6h", title: "6h", priority: 14 },
    { field: "price_change_percentage_24h", title: "24h", priority: 5 },
    { field: "volume_usd_24h", title: "volume 24h", priority: 6 },
    { field: "volume_usd_7d", title: "volume 7d", priority: 16 },
    { field: "volume_usd_30d", title: "volume 30d", priority: 17 },
    { field: "liquidity_usd", title: "liquidity", priority: 8 },
    { field: "transactions_24h", title: "txns 24h", priority: 9 },
    { field: "created_at", title: "created", priority: 11 },
    { field: "id", title: "pool", priority: 4 },
  ],
};

const search = {
  command: "pools search",
  summary: "pools by volume, liquidity, price change, age, token and DEX",
  examples: [
    "dexdata pools search ethereum --liquidity-usd-min 1m --order-by volume_usd_24h",
    "dexdata pools search base --created-after -30d --all -o ndjson",
  ],
  isEveryPool: true,
  reply: cursorPages,
  row,
} as const;

export const networkPoolsSearch = defineEndpoint("network_pools_search", {
  ...search,
  path: "/networks/{network}/pools/search",
  params: [inNetwork, ofToken, ...cursorPaging, ...filters],
});

export const poolsSearch = defineEndpoint("pools_search", {
  ...search,
  path: "/pools/search",
  params: [chains, ...cursorPaging, ...filters],
  row: acrossNetworks(row, { chain: 2.5, id: 6.5 }),
});
