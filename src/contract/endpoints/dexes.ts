import type { ContractEndpoint } from "../endpoint.ts";
import { choice, internal, query } from "../param.ts";
import { amount, count, optional, text } from "../record.ts";
import { inNetwork, sort } from "./shared-params.ts";

/**
 * Specification, "Other endpoints": page style. The public service was seen to send every DEX on each page with
 * totals of 0 (wire-facts 4.2), so the walk ends when a page brings no new dex_id and never trusts the totals.
 */
export const dexes: ContractEndpoint<"dexes"> = {
  id: "dexes",
  command: "dexes",
  method: "GET",
  path: "/networks/{network}/dexes",
  summary: "the DEXes of a network, with the ids that --dex takes",
  examples: ["dexdata dexes ethereum", "dexdata dexes solana --all -o ndjson --fields dex_id"],
  plan: "keyless",
  params: [
    inNetwork,
    internal("page", { kind: "integer", min: 0, max: 1000 }, "page, from 1"),
    internal("limit", { kind: "integer", min: 1, max: 100 }, "rows a page"),
    query("order_by", choice(["pool"]), "order of the list"),
    sort,
  ],
  reply: { kind: "numbered-pages", rows: "dexes", maxLimit: 100, handOverAfter: undefined },
  rows: {
    rows: {
      name: "dex",
      record: {
        chain: optional(text),
        dex_id: text,
        dex_name: text,
        protocol: optional(text),
        volume_usd_24h: optional(amount),
        txns_24h: optional(count),
        pools_count: optional(count),
      },
      identity: ["dex_id"],
      columns: [
        { field: "dex_id", title: "dex", priority: 1 },
        { field: "dex_name", title: "name", priority: 2 },
        { field: "protocol", title: "protocol", priority: 6 },
        { field: "volume_usd_24h", title: "volume 24h", priority: 3 },
        { field: "txns_24h", title: "txns 24h", priority: 4 },
        { field: "pools_count", title: "pools", priority: 5 },
      ],
    },
  },
};
