import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { localRowFlags, sharedFlags } from "../../run/flags/shared-flags.ts";
import { command } from "../command.ts";

/** Flags that select the service and the key. */
export const identifying = pick(sharedFlags, "base-url", "key-file", "profile", "sandbox", "tier", "seed");

/** Flags of the commands that look up the plan of a key. */
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
    summary: "Store an API key, from a hidden prompt or stdin",
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
    summary: "Show the key in use, its source and its plan",
    credits: { full: "1 credit per request", brief: "1 per request" },
    examples: ["dexdata auth status"],
    shared: lookupFlags,
    run: async (input, context) => await (await import("./auth.ts")).status(input, context),
  }),
  command({
    ...common,
    words: "auth list",
    summary: "List stored keys and mark the active one",
    examples: ["dexdata auth list", "dexdata auth list -o json"],
    shared: localRowFlags,
    run: async (input, context) => await (await import("./profiles.ts")).list(input, context),
  }),
  command({
    ...common,
    words: "auth switch",
    positionals: [{ name: "profile", isOptional: true, suggests: "profiles" }],
    summary: "Switch the active key; with two keys, to the other one",
    examples: ["dexdata auth switch work", "dexdata auth switch"],
    shared: pick(sharedFlags, "error-format"),
    run: async ({ words }, context) => await (await import("./profiles.ts")).switchTo(words, context),
  }),
  command({
    ...common,
    words: "auth logout",
    summary: "Remove a stored key from this machine",
    examples: ["dexdata auth logout", "dexdata auth logout --profile work", "dexdata auth logout --all"],
    flags: {
      all: flag(toggle, "Hosts and keys", {
        summary: "Remove every stored key",
        excludes: [
          { flag: "profile", why: "one removes all keys, the other only one", next: "remove one of them" },
        ],
      }),
    },
    shared: pick(sharedFlags, "error-format", "profile"),
    run: async (input, context) => await (await import("./profiles.ts")).logout(input, context),
  }),
];
