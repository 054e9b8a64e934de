import { defineEndpoint, type RowShape } from "../endpoint.ts";
import { choice } from "../param.ts";
import {
  address,
  amount,
  count,
  everyWindow,
  inDetail,
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

/** Specification, endpoint 3: the accepted values of order_by. */
const tokenOrders = [
  "volume_usd_24h",
  "volume_usd_7d",
  "volume_usd_30d",
  "liquidity_usd",
  "txns_24h",
  "price_change_percentage_24h",
  "created_at",
  "fdv_usd",
] as const;

const poolOnly = "orders pools only; tokens search has price_change_percentage_24h";

const filters = searchFilters(
  [
    ...range("price_change_percentage_24h", "price change", " of 24h in percent"),
    ...range("fdv_usd", "fully diluted value in USD"),
  ],
  choice(tokenOrders, {
    price_usd: "the service cannot order tokens by price; price_usd is in the rows",
    price_change_percentage_48h: poolOnly,
    price_change_percentage_6h: poolOnly,
    price_change_percentage_1h: poolOnly,
    price_change_percentage_5m: poolOnly,
  }),
);

/** Without details, the public service sends neither name nor symbol; the specification always lists both. */
const row: RowShape = {
  name: "token-row",
  record: {
    chain: text,
    address,
    name: inDetail(text),
    symbol: inDetail(text),
    price_usd: nullable(price),
    price_change_percentage_24h: nullable(percent),
    volume_usd_24h: nullable(amount),
    volume_usd_7d: nullable(amount),
    volume_usd_30d: nullable(amount),
    liquidity_usd: nullable(amount),
    fdv_usd: nullable(amount),
    txns_24h: nullable(count),
    decimals: inDetail(count),
    pools: inDetail(count),
    created_at: optional(time),
    has_image: inDetail(yesNo),
    ...everyWindow(inDetail(searchWindow), [...windows, "1m"]),
  },
  identity: ["chain", "address"],
  columns: [
    { field: "symbol", title: "symbol", priority: 1 },
    { field: "name", title: "name", priority: 7 },
    { field: "chain", title: "network", priority: 12 },
    { field: "price_usd", title: "price USD", priority: 2 },
    { field: "price_change_percentage_24h", title: "24h", priority: 4 },
    { field: "volume_usd_24h", title: "volume 24h", priority: 5 },
    { field: "volume_usd_7d", title: "volume 7d", priority: 13 },
    { field: "volume_usd_30d", title: "volume 30d", priority: 14 },
    { field: "liquidity_usd", title: "liquidity", priority: 6 },
    { field: "fdv_usd", title: "FDV", priority: 8 },
    { field: "txns_24h", title: "txns 24h", priority: 9 },
    { field: "pools", title: "pools", priority: 11 },
    { field: "created_at", title: "created", priority: 10 },
    { field: "address", title: "token", priority: 3 },
  ],
};

const search = {
  command: "tokens search",
  summary: "tokens by volume, liquidity, price change, age and more",
  examples: [
    "dexdata tokens search ethereum --volume-usd-24h-min 250k --limit 20",
    "dexdata tokens search --chains base,solana --created-after -7d --order-by liquidity_usd -o ndjson",
  ],
  reply: cursorPages,
  row,
};

export const networkTokensSearch = defineEndpoint("network_tokens_search", {
  ...search,
  path: "/networks/{network}/tokens/search",
  params: [inNetwork, ...cursorPaging, ...filters],
});

export const tokensSearch = defineEndpoint("tokens_search", {
  ...search,
  path: "/tokens/search",
  params: [chains, ...cursorPaging, ...filters],
  row: acrossNetworks(row, { chain: 1.5, address: 5.5 }),
});
