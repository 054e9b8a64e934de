import { choice, internal, path, query, type Param } from "../param.ts";

export const inNetwork = path("network", { kind: "network" }, "network slug, as `dexdata networks` lists it");
export const poolAddress = path("pool_address", { kind: "address" }, "pool address or id");
export const tokenAddress = path("token_address", { kind: "address" }, "token address");

export const sort = query("sort", choice(["asc", "desc"]), "direction of the order");

export const pageSize = internal("limit", { kind: "integer", min: 1, max: 100 }, "rows a page");

/** Specification, Pagination styles: at most 100 rows per page, by the number of the page. */
export const numberedPaging: readonly Param[] = [
  internal("page", { kind: "integer", min: 0, max: 1000 }, "page, from 1"),
  pageSize,
];

export const inversed = query(
  "inversed",
  { kind: "toggle" },
  "prices and ratios as token1/token0 instead of token0/token1",
);
