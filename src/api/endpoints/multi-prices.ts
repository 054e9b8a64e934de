import { defineEndpoint } from "../endpoint.ts";
import { query } from "../param.ts";
import { address, optional, price, text, time } from "../record.ts";
import { inNetwork } from "./shared-parts.ts";

/** Specification, endpoint 2. Each address costs 1 credit, even one without a price. The order is not guaranteed. */
export const multiPrices = defineEndpoint("multi_prices", {
  command: "prices",
  path: "/networks/{network}/multi/prices",
  summary: "Get USD prices of tokens, now or at times in the past",
  examples: [
    "dexdata prices ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
    "dexdata prices weth --at -7d --in usdc",
    "dexdata tokens search base --limit 50 -o ndjson | dexdata prices base - -o ndjson",
  ],
  params: [
    inNetwork,
    query("tokens", { kind: "list", max: 10, maxLength: 2000, of: "token" }, "Token addresses", {
      required: true,
      flag: undefined,
    }),
  ],
  reply: { kind: "batch", param: "tokens", max: 10, maxLength: 2000, value: "price_usd" },
  row: {
    name: "price",
    record: {
      id: address,
      chain: text,
      price_usd: { ...price, nullable: true },
      last_updated: optional(time),
    },
    identity: ["chain", "id"],
    columns: [
      { field: [], title: "label", priority: 3, shows: "label" },
      { field: "chain", title: "network", priority: 5 },
      { field: "price_usd", title: "price USD", priority: 2 },
      { field: "last_updated", title: "updated", priority: 4 },
      { field: "id", title: "token", priority: 1 },
    ],
  },
});
