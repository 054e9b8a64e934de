import { localExits } from "../../../base/exit-codes.ts";
import { serviceErrors } from "../../../api/service-errors.ts";
import { command } from "../command.ts";
import { objectFlags } from "../../run/flags/shared-flags.ts";

export const explainCommand = command({
  words: "explain",
  section: "Reference",
  positionals: [{ name: "error code|status|exit code", suggests: Object.keys(serviceErrors) }],
  otherForm: [{ name: "old URL or path", isQuoted: true }],
  summary: "Explain an error code, HTTP status, exit code or old API URL",
  examples: [
    "dexdata explain plan_required",
    "dexdata explain 429",
    "dexdata explain 8 -o json",
    "dexdata explain '/networks/ethereum/pools?order_by=volume_usd&limit=5'",
    "dexdata explain 'https://api.dexpaprika.com/networks/base/tokens/top?page=2'",
  ],
  exits: localExits,
  flags: {},
  shared: objectFlags,
  run: async (input, context) => await (await import("./explain.ts")).explain(input, context),
});
