import { partialExits } from "../../../base/exit-codes.ts";
import { command } from "../command.ts";
import { textFlags } from "../../run/flags/shared-flags.ts";
import { apiFlags, apiNotes } from "./api-flags.ts";

export const apiCommand = command({
  words: "api",
  section: "Reference",
  positionals: [{ name: "path" }],
  summary: "Call any API path; --paginate fetches every row",
  credits: {
    full: "1 credit per request; /multi/prices costs 1 credit per address",
    brief: "1 per request",
  },
  plan: { full: "depends on the endpoint", brief: "depends on the endpoint", isBounded: false },
  examples: [
    "dexdata api /networks",
    "dexdata api /networks/ethereum/pools/search -f order_by=liquidity_usd -f limit=5",
    "dexdata api networks/base/dexes --paginate -o ndjson",
    "dexdata api '/search?query=weth' -o json --fields pools.0.id",
  ],
  exits: partialExits,
  flags: apiFlags,
  shared: textFlags,
  notes: apiNotes,
  run: async (input, context) => await (await import("./api.ts")).api(input, context),
});
