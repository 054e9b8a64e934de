import { choice, internal, path, query, type Param } from "../param.ts";

export const inNetwork = path("network", { kind: "network" }, "network slug, as `dexdata networks` lists it");
export const poolAddress = path("pool_address", { kind: "address" }, "pool address or id");
export const tokenAddress = path("token_address", { kind: "address" }, "token address");

export const sort = query("sort", choice(["asc", "desc"]), "direction of the order");

/** Specification, Pagination styles: the cursor of the page before, and at most 100 rows a page. */
export const cursorPaging: readonly Param[] = [
  internal("limit", { kind: "integer", min: 1, max: 100 }, "rows a page"),
  internal("cursor", { kind: "text" }, "next_cursor of the page before"),
];

export const detailed = query(
  "detailed",
  { kind: "toggle" },
  "fuller rows: names and symbols, and windows of activity",
);

/** Only the cross-network searches read it. */
export const chains = query("chains", { kind: "list" }, "only these networks, comma-separated slugs");

export const inversed = query(
  "inversed",
  { kind: "toggle" },
  "prices and ratios as token1/token0 instead of token0/token1",
);

/** `<name>_min` and `<name>_max`, both inclusive. */
export function range(name: string, help: string, kind: "amount" | "integer" = "amount"): readonly Param[] {
  const numeric = kind === "amount" ? ({ kind: "amount" } as const) : ({ kind: "integer", min: 0 } as const);
  return [
    query(`${name}_min`, numeric, `${help}, at least`),
    query(`${name}_max`, numeric, `${help}, at most`),
  ];
}

export const createdBounds: readonly Param[] = [
  query("created_after", { kind: "time" }, "created at or after this time"),
  query("created_before", { kind: "time" }, "created at or before this time"),
];

/** What both searches filter by. */
export const searchRanges: readonly Param[] = [
  ...range("volume_usd_24h", "USD volume of 24h"),
  ...range("volume_usd_7d", "USD volume of 7d"),
  ...range("volume_usd_30d", "USD volume of 30d"),
  ...range("liquidity_usd", "USD liquidity"),
  ...range("txns_24h", "transactions of 24h", "integer"),
  ...range("price_usd", "USD price"),
];
