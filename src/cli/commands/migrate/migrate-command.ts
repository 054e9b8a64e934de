import { localExits } from "../../../base/exit-codes.ts";
import { command } from "../command.ts";
import { objectFlags } from "../../run/flags/shared-flags.ts";

export const migrateCommand = command({
  words: "migrate",
  section: "Reference",
  positionals: [{ name: "old URL or path", isQuoted: true }],
  summary: "Convert an old API URL into a dexdata command",
  examples: [
    "dexdata migrate '/networks/ethereum/pools?order_by=volume_usd&limit=5'",
    "dexdata migrate 'https://api.dexpaprika.com/networks/base/tokens/top?page=2'",
  ],
  exits: localExits,
  flags: {},
  shared: objectFlags,
  run: async (input, context) => await (await import("./migrate.ts")).migrate(input, context),
});
