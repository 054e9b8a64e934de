import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { localRowFlags, sharedFlags } from "../../run/flags/shared-flags.ts";
import { command } from "../command.ts";

/** Flags that choose the service and the key. */
export const identifying = pick(sharedFlags, "base-url", "key-file", "profile", "sandbox", "tier", "seed");

/** Flags of the commands that look up a key's plan. */
const lookupFlags = {
  ...pick(
    sharedFlags,
    "output",
    "no-header",
    "quiet",
    "stats",
    "verbose",
    "error-format",
    "timeout",
    "retries",
    "retry-on",
    "retry-max-time",
    "rpm",
  ),
  ...identifying,
};

const common = { section: "Setup", positionals: [], flags: {} } as const;

export const authCommands = [
  command({
    ...common,
    words: "auth login",
    summary: "store a key, typed unseen or from stdin",
    credits: {
      full: "1 credit per request, on each host until one accepts the key",
      brief: "1 per request, ...",
    },
    examples: ["dexdata auth login", "dexdata auth login --profile work < key.txt"],
    shared: lookupFlags,
    run: async (input, context) => await (await import("./auth.ts")).login(input, context),
  }),
  command({
    ...common,
    words: "auth status",
    summary: "which key is used, from where, and its plan",
    credits: { full: "1 credit per request", brief: "1 per request" },
    examples: ["dexdata auth status"],
    shared: lookupFlags,
    run: async (input, context) => await (await import("./auth.ts")).status(input, context),
  }),
  command({
    ...common,
    words: "auth list",
    summary: "every stored key, and which is in use",
    examples: ["dexdata auth list", "dexdata auth list -o json"],
    shared: localRowFlags,
    run: async (input, context) => await (await import("./profiles.ts")).list(input, context),
  }),
  command({
    ...common,
    words: "auth switch",
    positionals: [{ name: "profile", isOptional: true, suggests: "profiles" }],
    summary: "use another stored key; of two, the other",
    examples: ["dexdata auth switch work", "dexdata auth switch"],
    shared: pick(sharedFlags, "error-format"),
    run: async ({ words }, context) => await (await import("./profiles.ts")).switchTo(words, context),
  }),
  command({
    ...common,
    words: "auth logout",
    summary: "remove a stored key from this machine",
    examples: ["dexdata auth logout", "dexdata auth logout --profile work", "dexdata auth logout --all"],
    flags: {
      all: flag(toggle, "Hosts and keys", {
        summary: "remove every stored key",
        excludes: [{ flag: "profile", why: "all keys, or one of them", next: "give one of the two" }],
      }),
    },
    shared: pick(sharedFlags, "error-format", "profile"),
    run: async (input, context) => await (await import("./profiles.ts")).logout(input, context),
  }),
];
