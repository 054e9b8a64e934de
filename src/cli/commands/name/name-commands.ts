import { localExits } from "../../../base/exit-codes.ts";
import { type Command, command } from "../command.ts";
import { nameFlags, nameShared } from "./name-flags.ts";

const shared = { section: "Setup", exits: localExits, shared: nameShared } as const;
const name = { name: "name" };

export const nameCommands: readonly Command[] = [
  command({
    ...shared,
    words: "name add",
    positionals: [name, { name: "network:address" }],
    summary: "Give a token or pool a name that commands accept instead of its address",
    examples: ["dexdata name add weth ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --sandbox"],
    flags: nameFlags,
    notes: [
      {
        prose:
          "A name has up to 40 letters, digits, dashes, underscores and dots; case does not matter. It works wherever " +
          "network:address does: as an argument, in a list, and with --token. Each service has its own names: the sandbox, and each base URL.",
      },
    ],
    run: async (input, context) => await (await import("./name.ts")).add(input, context),
  }),
  command({
    ...shared,
    words: "name list",
    positionals: [],
    summary: "List all names and their assets",
    examples: ["dexdata name list", "dexdata name list -o json"],
    flags: {},
    run: async (input, context) => await (await import("./name.ts")).list(input, context),
  }),
  command({
    ...shared,
    words: "name remove",
    positionals: [name],
    summary: "Remove a name",
    examples: ["dexdata name remove weth --sandbox"],
    flags: {},
    run: async (input, context) => await (await import("./name.ts")).remove(input, context),
  }),
];
