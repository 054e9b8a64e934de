import { localExits } from "../../../base/exit-codes.ts";
import { command } from "../command.ts";
import { sandboxNotes, sandboxFlags, sandboxShared } from "./sandbox-flags.ts";

export const sandboxCommand = command({
  words: "sandbox",
  section: "Setup",
  positionals: [{ name: "-- command", isOptional: true, isRepeatable: true, suggests: "command line" }],
  summary: "Serve a simulated API on localhost, offline and free",
  examples: [
    "dexdata sandbox",
    "dexdata sandbox --clock 2026-06-01 --log requests.ndjson",
    "dexdata sandbox -- dexdata pools search base --limit 3",
    "dexdata sandbox --minute 6s --credits 50 --faults 429x3,500:5%,reset-body@7",
  ],
  exits: localExits,
  passesExit: true,
  flags: sandboxFlags,
  shared: sandboxShared,
  notes: sandboxNotes,
  run: async (input, context) => await (await import("./sandbox.ts")).runSandbox(input, context),
});
