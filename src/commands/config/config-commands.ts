import { localRowFlags } from "../../run/flags/shared-flags.ts";
import { command, type Positional } from "../command.ts";

const name: Positional = { name: "name", suggests: "settings" };
const value: Positional = { name: "value", suggests: "setting values" };

/** The commands by the second of their words, which is also the name of the function that runs them. */
const rows = [
  ["get", [name], "the value of a setting in force", ["dexdata config get output"]],
  [
    "set",
    [name, value],
    "keep a setting",
    ["dexdata config set output ndjson", "dexdata config set timeout 60s"],
  ],
  ["unset", [name], "take a kept setting back", ["dexdata config unset output"]],
  [
    "list",
    [],
    "every setting, its value and where it comes from",
    ["dexdata config list", "dexdata config list -o json"],
  ],
  ["path", [], "the file that settings are kept in", ["dexdata config path"]],
] as const;

export const configCommands = rows.map(([action, positionals, summary, examples]) =>
  command({
    words: `config ${action}`,
    section: "Setup",
    positionals,
    summary,
    examples,
    flags: {},
    shared: localRowFlags,
    run: async (input, context) => await (await import("./config.ts"))[action](input, context),
  }),
);
