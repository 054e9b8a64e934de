import { requestExits } from "../../../base/exit-codes.ts";
import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { textFlags } from "../../run/flags/shared-flags.ts";
import { identifying } from "../auth/auth-commands.ts";
import { command } from "../command.ts";

export const doctorCommand = command({
  words: "doctor",
  section: "Setup",
  positionals: [],
  summary: "Check key, hosts, network, clock and files; suggest fixes",
  credits: { full: "up to 2 credits, for 1 request and 1 stream event", brief: "up to 2" },
  examples: ["dexdata doctor", "dexdata doctor --sandbox", "dexdata doctor --no-stream -o json"],
  exits: requestExits,
  flags: {
    "no-stream": flag(toggle, "Requests", { summary: "Skip the stream check, which can cost 1 credit" }),
  },
  shared: {
    ...pick(textFlags, "output", "no-header", "color", "verbose", "error-format", "timeout", "rpm"),
    ...identifying,
  },
  notes: [
    "The exit code is 0 if all checks passed or there are only warnings. Otherwise, it is the usual exit code for the " +
      "first problem found, e.g. 4 for a wrong key.",
  ],
  run: async (input, context) => await (await import("./doctor.ts")).doctor(input, context),
});
