/** `carried` maps placeholders in the old path to the parameters that replaced them. */
const removed = (path: string, replacement: string, carried: Readonly<Record<string, string>> = {}) => ({
  path,
  replacement,
  carried,
});

/** Specification, "Removed endpoints", except the path on the streaming host. The paths permanently return 410. */
export const removedEndpoints = [
  removed("/pools", "/pools/search"),
  removed("/networks/{network}/pools", "/networks/{network}/pools/search"),
  removed("/networks/{network}/pools/filter", "/networks/{network}/pools/search"),
  removed("/networks/{network}/dexes/{dex}/pools", "/networks/{network}/pools/search", { dex: "dex_name" }),
  removed("/networks/{network}/tokens/{token_address}/pools", "/networks/{network}/pools/search", {
    token_address: "token_address",
  }),
  removed("/networks/{network}/tokens/filter", "/networks/{network}/tokens/search"),
  removed("/networks/{network}/tokens/top", "/networks/{network}/tokens/search"),
];

/** Both streaming hosts removed this path for GET and POST. An asset's method determines its current feed. */
export const removedStream = "/stream";

/** Includes renamed parameters (specification, "Removed endpoints") and similar names that old clients sent. */
const names: ReadonlyMap<string, string> = new Map([
  ["sort_by", "order_by"],
  ["sort_dir", "sort"],
  ["fdv_min", "fdv_usd_min"],
  ["fdv_max", "fdv_usd_max"],
]);

export function renamed(name: string): string {
  return names.get(name) ?? name.replace(/^volume_(24h|7d|30d)_(min|max)$/u, "volume_usd_$1_$2");
}

const orders: ReadonlyMap<string, string> = new Map([
  ["volume_usd", "volume_usd_24h"],
  ["volume", "volume_usd_24h"],
  ["transactions", "txns_24h"],
  ["transactions_24h", "txns_24h"],
  ["txns", "txns_24h"],
  ["liquidity", "liquidity_usd"],
  ["fdv", "fdv_usd"],
  ["price_change", "price_change_percentage_24h"],
]);

export function renamedOrder(key: string): string {
  return (
    orders.get(key) ??
    key
      .replace(/^volume_(24h|7d|30d)$/u, "volume_usd_$1")
      .replace(/^(?:last_)?price_change(?:_usd)?_(48h|24h|6h|1h|5m)$/u, "price_change_percentage_$1")
  );
}
