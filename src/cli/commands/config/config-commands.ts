import { localExits } from "../../../base/exit-codes.ts";
import { pick } from "../../run/flags/flag.ts";
import { localRowFlags } from "../../run/flags/shared-flags.ts";
import { command, type Positional } from "../command.ts";

const name: Positional = { name: "name", suggests: "settings" };
const value: Positional = { name: "value", suggests: "setting values" };

/** The second word is also the name of the function that runs the command. */
const rows = [
  ["get", [name], "Print the effective value of a setting", ["dexdata config get output"]],
  [
    "set",
    [name, value],
    "Save a setting",
    ["dexdata config set output ndjson", "dexdata config set timeout 60s"],
  ],
  ["unset", [name], "Remove a saved setting", ["dexdata config unset output"]],
  [
    "list",
    [],
    "List all settings, their values and their sources",
    ["dexdata config list", "dexdata config list -o json"],
  ],
  ["path", [], "Print the path of the config file", ["dexdata config path"]],
] as const;

export const configCommands = rows.map(([action, positionals, summary, examples]) =>
  command({
    words: `config ${action}`,
    section: "Setup",
    positionals,
    summary,
    examples,
    exits: localExits,
    flags: {},
    shared: action === "list" ? localRowFlags : pick(localRowFlags, "error-format"),
    run: async (input, context) => await (await import("./config.ts"))[action](input, context),
  }),
);
