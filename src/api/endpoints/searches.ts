import { type Column, defineEndpoint, onlyGroup, type RowShape } from "../endpoint.ts";
import { choice, internal, query, type Param, type ParamKind } from "../param.ts";
import {
  address,
  amount,
  blockNumber,
  count,
  each,
  inDetail,
  later,
  listOf,
  nullable,
  optional,
  percent,
  price,
  record,
  text,
  time,
  windows,
  yesNo,
} from "../record.ts";
import { inNetwork, pageSize, sort, tokenPages } from "./shared-parts.ts";

/** Specification, "Pagination styles". A page has at most 100 rows and requires the previous page's cursor. */
const cursorPaging = [pageSize, internal("cursor", { kind: "text" }, "next_cursor of the previous page")];
const cursorPages = { kind: "cursor-pages", rows: "results", maxLimit: 100 } as const;

const detailed = query("detailed", { kind: "toggle" }, "Include names, symbols and activity", {
  details: " per time window",
});

/** Only the cross-network searches accept this parameter. */
const chains = query("chains", { kind: "list" }, "Only these networks, e.g. base,solana");

/** Both `<name>_min` and `<name>_max` are inclusive. */
function range(name: string, help: string, kind: "amount" | "integer" = "amount"): readonly Param[] {
  const numeric = kind === "amount" ? ({ kind: "amount" } as const) : ({ kind: "integer", min: 0 } as const);
  return [query(`${name}_min`, numeric, `Minimum ${help}`), query(`${name}_max`, numeric, `Maximum ${help}`)];
}

/** `ranges` are the filters that only one of the two searches has. */
function searchFilters(ranges: readonly Param[], orders: ParamKind): readonly Param[] {
  return [
    ...range("volume_usd_24h", "24h volume in USD"),
    ...range("volume_usd_7d", "7d volume in USD"),
    ...range("volume_usd_30d", "30d volume in USD"),
    ...range("liquidity_usd", "liquidity in USD"),
    ...range("txns_24h", "number of transactions in 24h", "integer"),
    ...range("price_usd", "price in USD"),
    ...ranges,
    query("created_after", { kind: "time" }, "Created at or after this time"),
    query("created_before", { kind: "time" }, "Created at or before this time"),
    query("order_by", orders, "Sort by this field"),
    sort,
    detailed,
  ];
}

/** Specification, Token search row resource; wire-facts 4.8. */
const searchWindow = record({
  volume_usd: nullable(amount),
  ...each("buys sells txns", nullable(count)),
  last_price_usd_change: nullable(percent),
});

const detailedPages = Object.fromEntries(
  Object.entries(tokenPages).map(([name, field]) => [name, later(inDetail(field))]),
);

/**
 * An address is useless without its network. Compared with a search on one network, a narrow terminal therefore hides
 * the address earlier and the network later. No new priority may equal that of another column.
 */
function acrossNetworks(rows: RowShape, priorities: { readonly [field: string]: number }): RowShape {
  const moved = (column: Column): Column => ({
    ...column,
    priority: priorities[String(column.field)] ?? column.priority,
  });
  return { ...rows, owned: { chain: "chains" }, columns: rows.columns.map(moved) };
}

/** Each search accepts other values as well. */
const commonOrders = ["volume_usd_24h", "volume_usd_7d", "volume_usd_30d", "liquidity_usd", "txns_24h"];

const priceChanges = ["48h", "24h", "6h", "1h", "5m"].map((window) => ({
  order: `price_change_percentage_${window}`,
  range: range(`price_change_percentage_${window}`, `${window} price change in percent`),
}));
const poolOrders = [...commonOrders, "created_at", "price_usd", ...priceChanges.map(({ order }) => order)];

const poolFilters = [
  query("dex_name", { kind: "text" }, "Only pools on this DEX", {
    details: ", specified by its ID (see dexdata dexes)",
    flag: "dex",
  }),
  ...searchFilters(
    priceChanges.flatMap((change) => change.range),
    choice(poolOrders, { volume_usd: "the service no longer accepts it; use volume_usd_24h" }),
  ),
];

/** The cross-network path silently ignores token_address, so only the per-network endpoint accepts it. */
const ofToken = query(
  "token_address",
  { kind: "address", of: "token" },
  "Only pools that contain this token",
  { flag: "token", details: "; if it is repeated, all of these tokens (up to 4)", several: 4 },
);

/** Unlike the filter txns_24h, the field is named transactions_24h. There is no volume_usd field. */
const poolRow: RowShape = {
  name: "pool-row",
  record: {
    id: address,
    chain: text,
    ...each("dex_id dex_name", optional(text)),
    created_at: optional(time),
    created_at_block_number: optional(blockNumber),
    ...each("volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd", nullable(amount)),
    transactions_24h: nullable(count),
    price_usd: nullable(price),
    ...each(
      "price_change_percentage_5m price_change_percentage_1h price_change_percentage_6h price_change_percentage_24h",
      nullable(percent),
    ),
    price_change_percentage_48h: later(nullable(percent)),
    fee: nullable(percent),
    // With detailed=true, names and windows are inside each token, not next to the tokens (wire-facts 4.8).
    tokens: optional(
      listOf({
        id: address,
        chain: optional(text),
        has_image: optional(yesNo),
        ...each("name symbol", inDetail(text)),
        decimals: inDetail(count),
        ...detailedPages,
        added_at: inDetail(time),
        fdv: inDetail(nullable(amount)),
        ...each(`${windows} 1m`, inDetail(searchWindow)),
      }),
    ),
  },
  identity: ["chain", "id"],
  owned: { chain: "network" },
  columns: [
    { field: "tokens.0.symbol", title: "token 0", priority: 1 },
    { field: "tokens.1.symbol", title: "token 1", priority: 2 },
    { field: "chain", title: "network", priority: 12 },
    { field: ["dex_name", "dex_id"], title: "dex", priority: 7 },
    { field: "fee", title: "fee", priority: 10 },
    { field: "price_usd", title: "price 0 USD", priority: 3 },
    { field: "price_change_percentage_5m", title: "change 5m", priority: 15 },
    { field: "price_change_percentage_1h", title: "change 1h", priority: 13 },
    { field: "price_change_percentage_6h", title: "change 6h", priority: 14 },
    { field: "price_change_percentage_24h", title: "change 24h", priority: 5 },
    { field: "price_change_percentage_48h", title: "change 48h", priority: 18 },
    { field: "volume_usd_24h", title: "volume 24h", priority: 6 },
    { field: "volume_usd_7d", title: "volume 7d", priority: 16 },
    { field: "volume_usd_30d", title: "volume 30d", priority: 17 },
    { field: "liquidity_usd", title: "liquidity", priority: 8 },
    { field: "transactions_24h", title: "txns 24h", priority: 9 },
    { field: "created_at", title: "created", priority: 11 },
    { field: "id", title: "pool", priority: 8.5 },
  ],
};

const poolSearch = {
  command: "pools search",
  summary: "Search pools by volume, liquidity, age, token, DEX and more",
  examples: [
    "dexdata pools search ethereum --liquidity-usd-min 1M --order-by volume_usd_24h",
    "dexdata pools search base --created-after -30d --all -o ndjson",
  ],
  lists: "pools",
  reply: cursorPages,
  row: poolRow,
} as const;

export const networkPoolsSearch = defineEndpoint("network_pools_search", {
  ...poolSearch,
  path: "/networks/{network}/pools/search",
  params: [inNetwork, ofToken, ...cursorPaging, ...poolFilters],
});

export const poolsSearch = defineEndpoint("pools_search", {
  ...poolSearch,
  path: "/pools/search",
  params: [chains, ...cursorPaging, ...poolFilters],
  row: acrossNetworks(poolRow, { chain: 2.5, id: 8.5 }),
});

/** A row of a pool's history, as a directory of `sync` keeps it. It is not from an endpoint of its own. */
export const poolPeriods = {
  ...networkPoolsSearch,
  rows: {
    [onlyGroup]: {
      ...poolRow,
      name: "pool-period",
      identity: ["chain", "id", "period"],
      added: { record: { period: time, as_of: time, rank: nullable(count) }, columns: [], nulls: [] },
    },
  },
};

const tokenOrders = [...commonOrders, "price_change_percentage_24h", "created_at", "fdv_usd"];

const poolOnly = "sorts pools only; tokens search has price_change_percentage_24h";

const tokenFilters = searchFilters(
  [
    ...range("price_change_percentage_24h", "24h price change in percent"),
    ...range("fdv_usd", "fully diluted value in USD"),
  ],
  choice(tokenOrders, {
    price_usd: "the service cannot sort tokens by price; price_usd is in the rows",
    price_change_percentage_48h: poolOnly,
    price_change_percentage_6h: poolOnly,
    price_change_percentage_1h: poolOnly,
    price_change_percentage_5m: poolOnly,
  }),
);

/** Without details, the public service omits name and symbol, although the specification always lists them. */
const tokenRow: RowShape = {
  name: "token-row",
  record: {
    chain: text,
    address,
    ...each("name symbol", inDetail(text)),
    price_usd: nullable(price),
    price_change_percentage_24h: nullable(percent),
    ...each("volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd fdv_usd", nullable(amount)),
    txns_24h: nullable(count),
    ...each("decimals pools", inDetail(count)),
    created_at: optional(time),
    has_image: inDetail(yesNo),
    ...detailedPages,
    ...each(`${windows} 1m`, inDetail(searchWindow)),
  },
  identity: ["chain", "address"],
  owned: { chain: "network" },
  columns: [
    { field: "symbol", title: "symbol", priority: 1 },
    { field: "name", title: "name", priority: 7 },
    { field: "chain", title: "network", priority: 12 },
    { field: "price_usd", title: "price USD", priority: 2 },
    { field: "price_change_percentage_24h", title: "change 24h", priority: 4 },
    { field: "volume_usd_24h", title: "volume 24h", priority: 5 },
    { field: "volume_usd_7d", title: "volume 7d", priority: 13 },
    { field: "volume_usd_30d", title: "volume 30d", priority: 14 },
    { field: "liquidity_usd", title: "liquidity", priority: 6 },
    { field: "fdv_usd", title: "FDV", priority: 8 },
    { field: "txns_24h", title: "txns 24h", priority: 9 },
    { field: "pools", title: "pools", priority: 11 },
    { field: "created_at", title: "created", priority: 10 },
    { field: "address", title: "token", priority: 6.5 },
  ],
};

const tokenSearch = {
  command: "tokens search",
  summary: "Search tokens by volume, liquidity, price change and more",
  examples: [
    "dexdata tokens search ethereum --volume-usd-24h-min 250k --limit 20",
    "dexdata tokens search --chains base,solana --created-after -7d --order-by liquidity_usd -o ndjson",
  ],
  reply: cursorPages,
  row: tokenRow,
};

export const networkTokensSearch = defineEndpoint("network_tokens_search", {
  ...tokenSearch,
  path: "/networks/{network}/tokens/search",
  params: [inNetwork, ...cursorPaging, ...tokenFilters],
});

export const tokensSearch = defineEndpoint("tokens_search", {
  ...tokenSearch,
  path: "/tokens/search",
  params: [chains, ...cursorPaging, ...tokenFilters],
  row: acrossNetworks(tokenRow, { chain: 1.5, address: 6.5 }),
});
