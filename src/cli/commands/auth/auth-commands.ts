import { localExits, requestExits } from "../../../base/exit-codes.ts";
import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { localRowFlags, sharedFlags, textFlags } from "../../run/flags/shared-flags.ts";
import { command } from "../command.ts";

export const identifying = pick(sharedFlags, "base-url", "key-file", "profile", "sandbox", "tier", "seed");

const retrying = ["retries", "retry-on", "retry-max-time"] as const;
const requesting = ["quiet", "verbose", "error-format", "timeout", "rpm", ...retrying] as const;

const lookupFlags = { ...pick(textFlags, "output", "no-header", ...requesting), ...identifying };

/** Used by commands that do not read the profile's key. */
const profileFlag = (summary: string): typeof sharedFlags.profile => ({ ...sharedFlags.profile, summary });

const common = { section: "Setup", positionals: [], flags: {}, exits: localExits } as const;

export const authCommands = [
  command({
    ...common,
    words: "auth login",
    summary: "Store an API key, read from a hidden prompt or stdin",
    credits: {
      full: "1 credit; requests that a host rejects because of the key are free",
      brief: "1",
    },
    plan: { full: "any", brief: "any", isBounded: false },
    examples: ["dexdata auth login", "dexdata auth login --profile work < key.txt"],
    exits: requestExits,
    flags: { profile: profileFlag("Store the key under this name") },
    shared: pick(lookupFlags, ...requesting, "base-url", "key-file"),
    run: async (input, context) => await (await import("./auth.ts")).login(input, context),
  }),
  command({
    ...common,
    words: "auth status",
    summary: "Show the key in use, its source and its plan",
    credits: { full: "1 credit per request", brief: "1 per request" },
    exits: requestExits,
    examples: ["dexdata auth status"],
    shared: lookupFlags,
    run: async (input, context) => await (await import("./status.ts")).status(input, context),
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
    summary: "Switch to another stored key",
    examples: ["dexdata auth switch work", "dexdata auth switch"],
    notes: ["If exactly two keys are stored, the profile is optional: dexdata switches to the other key."],
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
      profile: profileFlag("Remove the key stored under this name"),
    },
    shared: pick(sharedFlags, "error-format"),
    run: async (input, context) => await (await import("./profiles.ts")).logout(input, context),
  }),
];
