import { command } from "../command.ts";
import { pick } from "../../run/flags/flag.ts";
import { localRowFlags, sharedFlags } from "../../run/flags/shared-flags.ts";
import { askingFlags, logoutFlags } from "./auth-flags.ts";

const errors = pick(sharedFlags, "error-format");

export const authCommands = [
  command({
    words: "auth login",
    section: "Setup",
    positionals: [],
    summary: "store a key, typed unseen or from stdin",
    credits: {
      full: "1 credit per request, on each host until one accepts the key",
      brief: "1 per request, ...",
    },
    examples: ["dexdata auth login", "dexdata auth login --profile work < key.txt"],
    flags: {},
    shared: askingFlags,
    run: async (input, context) => await (await import("./auth.ts")).login(input, context),
  }),
  command({
    words: "auth status",
    section: "Setup",
    positionals: [],
    summary: "which key is used, from where, and its plan",
    credits: { full: "1 credit per request", brief: "1 per request" },
    examples: ["dexdata auth status"],
    flags: {},
    shared: askingFlags,
    run: async (input, context) => await (await import("./auth.ts")).status(input, context),
  }),
  command({
    words: "auth list",
    section: "Setup",
    positionals: [],
    summary: "every stored key, and which is in use",
    examples: ["dexdata auth list", "dexdata auth list -o json"],
    flags: {},
    shared: localRowFlags,
    run: async (input, context) => await (await import("./profiles.ts")).list(input, context),
  }),
  command({
    words: "auth switch",
    section: "Setup",
    positionals: [{ name: "profile", isOptional: true, suggests: "profiles" }],
    summary: "use another stored key; of two, the other",
    examples: ["dexdata auth switch work", "dexdata auth switch"],
    flags: {},
    shared: errors,
    run: async (input, context) => await (await import("./profiles.ts")).switchTo(input, context),
  }),
  command({
    words: "auth logout",
    section: "Setup",
    positionals: [],
    summary: "remove a stored key from this machine",
    examples: ["dexdata auth logout", "dexdata auth logout --profile work", "dexdata auth logout --all"],
    flags: logoutFlags,
    shared: pick(sharedFlags, "error-format", "profile"),
    run: async (input, context) => await (await import("./profiles.ts")).logout(input, context),
  }),
];
