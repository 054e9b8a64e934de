import { defineEndpoint } from "../endpoint.ts";
import { amount, count, each, optional, text } from "../record.ts";

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
