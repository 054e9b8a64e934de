import { localExits } from "../../../base/exit-codes.ts";
import { type Command, command } from "../command.ts";
import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { localRowFlags, sharedFlags } from "../../run/flags/shared-flags.ts";

/** The hosts determine the service that a name belongs to. */
const shared = pick(sharedFlags, "error-format", "sandbox", "seed", "base-url");
const base = { section: "Setup", exits: localExits, shared, flags: {} } as const;
const name = { name: "name" };
const load = async () => await import("./name.ts");

export const nameCommands: readonly Command[] = [
  command({
    ...base,
    words: "name add",
    positionals: [name, { name: "network:address" }],
    summary: "Name a token or pool, to use the name instead of its address",
    examples: ["dexdata name add weth ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --sandbox"],
    flags: { force: flag(toggle, "Parameters", { summary: "Replace an existing name" }) },
    notes: [
      "A name has up to 40 letters, digits, dashes, underscores and dots; case does not matter. It works wherever " +
        "network:address does: as an argument, in a list, and with --token. Each base URL has its own list of names. " +
        "In the sandbox, each --seed has its own list.",
    ],
    run: async (input, context) => await (await load()).add(input, context),
  }),
  command({
    ...base,
    words: "name list",
    positionals: [],
    summary: "List all names and their assets",
    examples: ["dexdata name list --sandbox", "dexdata name list -o json"],
    shared: { ...localRowFlags, ...shared },
    run: async (input, context) => await (await load()).list(input, context),
  }),
  command({
    ...base,
    words: "name remove",
    positionals: [name],
    summary: "Remove a name",
    examples: ["dexdata name remove weth --sandbox"],
    run: async (input, context) => await (await load()).remove(input, context),
  }),
];
