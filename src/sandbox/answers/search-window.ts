import type { JsonObject } from "../json-writer.ts";
import type { Activity } from "../market/types.ts";

/** Specification, resource Token search row: a window of activity as the searches show it. */
export function searchWindow({ volumeUsd, buys, sells, txns, priceChange }: Activity): JsonObject {
  return { volume_usd: volumeUsd, buys, sells, txns, last_price_usd_change: priceChange };
}
