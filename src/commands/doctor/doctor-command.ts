import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";
import { identifying } from "../auth/auth-commands.ts";
import { command } from "../command.ts";

export const doctorCommand = command({
  words: "doctor",
  section: "Setup",
  positionals: [],
  summary: "Check keys, hosts, network, clock, files; suggest fixes",
  credits: { full: "up to 2 credits: 1 request, 1 event", brief: "up to 2: 1 request, ..." },
  examples: ["dexdata doctor", "dexdata doctor --sandbox", "dexdata doctor --no-stream -o json"],
  flags: {
    "no-stream": flag(toggle, "Requests", { summary: "Skip the stream check, which can cost a credit" }),
  },
  shared: {
    ...pick(sharedFlags, "output", "no-header", "color", "verbose", "error-format", "timeout", "rpm"),
    ...identifying,
  },
  notes: [
    {
      prose:
        "Exits with the code that a command would return for the first failed check, or with 0 if there are only warnings.",
    },
  ],
  run: async (input, context) => await (await import("./doctor.ts")).doctor(input, context),
});
