import type { Column, RowShape } from "../endpoint.ts";
import { choice, internal, path, query, type Param, type ParamKind } from "../param.ts";
import { amount, count, nullable, percent, record } from "../record.ts";

export const inNetwork = path("network", { kind: "network" }, "network slug, as `dexdata networks` lists it");
export const poolAddress = path("pool_address", { kind: "address" }, "pool address or id");
export const tokenAddress = path("token_address", { kind: "address" }, "token address");

export const sort = query("sort", choice(["asc", "desc"]), "direction of the order");

const pageSize = internal("limit", { kind: "integer", min: 1, max: 100 }, "rows a page");

/** Specification, Pagination styles: at most 100 rows per page, by the cursor of the previous page or by its number. */
export const cursorPaging: readonly Param[] = [
  pageSize,
  internal("cursor", { kind: "text" }, "next_cursor of the page before"),
];
export const numberedPaging: readonly Param[] = [
  internal("page", { kind: "integer", min: 0, max: 1000 }, "page, from 1"),
  pageSize,
];
export const cursorPages = { kind: "cursor-pages", rows: "results", maxLimit: 100 } as const;

const detailed = query("detailed", { kind: "toggle" }, "fuller rows", {
  details: ": names and symbols, and windows of activity",
});

/** Only the cross-network searches accept it. */
export const chains = query("chains", { kind: "list" }, "only these networks, comma-separated slugs");

export const inversed = query(
  "inversed",
  { kind: "toggle" },
  "prices and ratios as token1/token0 instead of token0/token1",
);

/** `<name>_min` and `<name>_max`, both inclusive; `which`: the window and unit, starting with a space. */
export function range(
  name: string,
  help: string,
  which = "",
  kind: "amount" | "integer" = "amount",
): readonly Param[] {
  const numeric = kind === "amount" ? ({ kind: "amount" } as const) : ({ kind: "integer", min: 0 } as const);
  return [
    query(`${name}_min`, numeric, help, { details: `${which}, at least` }),
    query(`${name}_max`, numeric, help, { details: `${which}, at most` }),
  ];
}

/** The filters and orders of both searches, with the ranges that only one of them has. */
export function searchFilters(ranges: readonly Param[], orders: ParamKind): readonly Param[] {
  return [
    ...range("volume_usd_24h", "USD volume", " of 24h"),
    ...range("volume_usd_7d", "USD volume", " of 7d"),
    ...range("volume_usd_30d", "USD volume", " of 30d"),
    ...range("liquidity_usd", "USD liquidity"),
    ...range("txns_24h", "transactions", " of 24h", "integer"),
    ...range("price_usd", "USD price"),
    ...ranges,
    query("created_after", { kind: "time" }, "created at or after this time"),
    query("created_before", { kind: "time" }, "created at or before this time"),
    query("order_by", orders, "what to order by"),
    sort,
    detailed,
  ];
}

/** Activity in one window of a search row (specification, resource Token search row; wire-facts 4.8). */
export const searchWindow = record({
  volume_usd: nullable(amount),
  buys: nullable(count),
  sells: nullable(count),
  txns: nullable(count),
  last_price_usd_change: nullable(percent),
});

/**
 * The rows of a search on all networks. An address is useless without its network, so in a narrow terminal the network
 * stays longer than in a search on one network, and the address less long. `priorities`: by field, between the others.
 */
export function acrossNetworks(rows: RowShape, priorities: { readonly [field: string]: number }): RowShape {
  const moved = (column: Column): Column => ({
    ...column,
    priority: priorities[String(column.field)] ?? column.priority,
  });
  return { ...rows, columns: rows.columns.map(moved) };
}
