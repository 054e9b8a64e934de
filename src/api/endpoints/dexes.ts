import { defineEndpoint } from "../endpoint.ts";
import { choice, query } from "../param.ts";
import { amount, count, each, optional, text } from "../record.ts";
import { inNetwork, numberedPaging, sort } from "./shared-parts.ts";

/**
 * Specification, "Other endpoints". The public service sends every DEX on each page and reports totals of 0 (wire-facts
 * 4.2), so a pull ignores the totals and ends at the first page without a new dex_id.
 */
export const dexes = defineEndpoint("dexes", {
  command: "dexes",
  typedFields: ["dex_id", "dex_name"],
  path: "/networks/{network}/dexes",
  summary: "List a network's DEXes and their IDs for --dex",
  examples: ["dexdata dexes ethereum", "dexdata dexes solana --all -o ndjson --fields dex_id"],
  params: [
    inNetwork,
    ...numberedPaging,
    query("order_by", choice(["pool"]), "Sort by the number of pools"),
    sort,
  ],
  reply: { kind: "numbered-pages", rows: "dexes", maxLimit: 100, handOverAfter: undefined },
  row: {
    name: "dex",
    record: {
      chain: optional(text),
      ...each("dex_id dex_name", text),
      protocol: optional(text),
      volume_usd_24h: optional(amount),
      ...each("txns_24h pools_count", optional(count)),
    },
    identity: ["dex_id"],
    owned: { chain: "network" },
    columns: [
      { field: "dex_id", title: "dex", priority: 1 },
      { field: "dex_name", title: "name", priority: 2 },
      { field: "protocol", title: "protocol", priority: 6 },
      { field: "volume_usd_24h", title: "volume 24h", priority: 3 },
      { field: "txns_24h", title: "txns 24h", priority: 4 },
      { field: "pools_count", title: "pools", priority: 5 },
    ],
  },
});
