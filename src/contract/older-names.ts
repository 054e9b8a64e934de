/** Parameters that the service renamed (specification, Removed endpoints), with their siblings, and what clients sent. */
const names: ReadonlyMap<string, string> = new Map([
  ["sort_by", "order_by"],
  ["sort_dir", "sort"],
  ["fdv_min", "fdv_usd_min"],
  ["fdv_max", "fdv_usd_max"],
]);

/** The name that a parameter has now. */
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

/** The order key that took the place of an older one. */
export function renamedOrder(key: string): string {
  return (
    orders.get(key) ??
    key
      .replace(/^volume_(24h|7d|30d)$/u, "volume_usd_$1")
      .replace(/^(?:last_)?price_change(?:_usd)?_(48h|24h|6h|1h|5m)$/u, "price_change_percentage_$1")
  );
}
