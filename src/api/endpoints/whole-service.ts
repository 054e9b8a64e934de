import { defineEndpoint } from "../endpoint.ts";
import { amount, anything, count, each, optional, text, time } from "../record.ts";
import { choice, query } from "../param.ts";
import { inNetwork, numberedPaging, sort } from "./shared-parts.ts";

/** See "Other endpoints" in the specification. The record is described only in wire-facts 4.1. */
export const networks = defineEndpoint("networks", {
  command: "networks",
  typedFields: ["id", "display_name"],
  path: "/networks",
  summary: "List supported networks and their IDs",
  examples: ["dexdata networks", "dexdata networks -o ndjson --fields id"],
  params: [],
  reply: { kind: "list" },
  row: {
    name: "network",
    record: {
      id: text,
      display_name: optional(text),
      volume_usd_24h: optional(amount),
      ...each("txns_24h pools_count", optional(count)),
    },
    identity: ["id"],
    columns: [
      { field: "id", title: "network", priority: 1 },
      { field: "display_name", title: "name", priority: 2 },
      { field: "volume_usd_24h", title: "volume 24h", priority: 3 },
      { field: "txns_24h", title: "txns 24h", priority: 4 },
      { field: "pools_count", title: "pools", priority: 5 },
    ],
  },
});

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

/** Specification, "Other endpoints". Only `plan` is documented; a paid key also gets its usage for this period. */
export const usage = defineEndpoint("usage", {
  command: "usage",
  path: "/usage",
  summary: "Show your plan and, on paid plans, credits used and left",
  examples: ["dexdata usage", "dexdata usage -o json"],
  params: [],
  reply: { kind: "single" },
  row: {
    name: "usage",
    record: {
      plan: optional(text),
      // All its members are numbers of credits.
      credits: { ...optional(anything), reads: "count" },
      overage: optional(anything),
      resets_at: optional(time),
    },
    identity: [],
    columns: [
      { field: "plan", title: "plan", priority: 1 },
      { field: "credits.limit", title: "credits", priority: 4 },
      { field: "credits.used", title: "used", priority: 3 },
      { field: "credits.remaining", title: "left", priority: 2 },
      { field: "resets_at", title: "resets", priority: 5 },
    ],
  },
});
