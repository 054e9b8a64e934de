import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";
import { identifying } from "../auth/auth-commands.ts";
import { command } from "../command.ts";

export const doctorCommand = command({
  words: "doctor",
  section: "Setup",
  positionals: [],
  summary: "check key, hosts, network, clock and files, and say what to do",
  credits: { full: "up to 2 credits: 1 request, 1 event", brief: "up to 2: 1 request, ..." },
  examples: ["dexdata doctor", "dexdata doctor --sandbox", "dexdata doctor --no-stream -o json"],
  flags: {
    "no-stream": flag(toggle, "Requests", { summary: "open no stream, which may cost a credit" }),
  },
  shared: {
    ...pick(sharedFlags, "output", "no-header", "color", "verbose", "error-format", "timeout", "rpm"),
    ...identifying,
  },
  notes: [
    {
      prose:
        "Ends with the code of the first check that failed, as a command would for the same reason; with warnings alone " +
        "with 0.",
    },
  ],
  run: async (input, context) => await (await import("./doctor.ts")).doctor(input, context),
});
