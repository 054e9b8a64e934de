import { choice, internal, path, query, type Param } from "../param.ts";
import { address, amount, each, nullable, optional, position, text } from "../record.ts";

export const inNetwork = path("network", { kind: "network" }, "Network ID (see dexdata networks)");
export const poolAddress = path("pool_address", { kind: "address", of: "pool" }, "Pool address or ID");
export const tokenAddress = path("token_address", { kind: "address", of: "token" }, "Token address");

export const sort = query("sort", choice(["asc", "desc"]), "Sort direction");

export const pageSize = internal("limit", { kind: "integer", min: 1, max: 100 }, "Rows per page");

/** See "Pagination styles" in the specification. Pages are requested by number and have at most 100 rows. */
export const numberedPaging: readonly Param[] = [
  internal("page", { kind: "integer", min: 0, max: 1000 }, "Page number; the first is 1"),
  pageSize,
];

export const inversed = query("inversed", { kind: "toggle" }, "Invert the price: token 1 priced in token 0");

export const tokenPages = {
  total_supply: { ...nullable(amount), isRaw: true },
  ...each("description website explorer", optional(text)),
};

/** Both a token and a found token have these fields. */
export const tokenFields = {
  id: address,
  ...each("name symbol", optional(text)),
  chain: text,
  decimals: optional(position),
  ...tokenPages,
};
