import { command } from "../command.ts";
import { localRowFlags } from "../../run/flags/shared-flags.ts";

const common = { section: "Setup", flags: {}, shared: localRowFlags } as const;

export const configCommands = [
  command({
    ...common,
    words: "config get",
    positionals: [{ name: "name", suggests: "settings" }],
    summary: "the value of a setting in force",
    examples: ["dexdata config get output"],
    run: async (input, context) => await (await import("./config.ts")).get(input, context),
  }),
  command({
    ...common,
    words: "config set",
    positionals: [
      { name: "name", suggests: "settings" },
      { name: "value", suggests: "setting values" },
    ],
    summary: "keep a setting",
    examples: ["dexdata config set output ndjson", "dexdata config set timeout 60s"],
    run: async (input, context) => await (await import("./config.ts")).set(input, context),
  }),
  command({
    ...common,
    words: "config unset",
    positionals: [{ name: "name", suggests: "settings" }],
    summary: "take a kept setting back",
    examples: ["dexdata config unset output"],
    run: async (input, context) => await (await import("./config.ts")).unset(input, context),
  }),
  command({
    ...common,
    words: "config list",
    positionals: [],
    summary: "every setting, its value and where it comes from",
    examples: ["dexdata config list", "dexdata config list -o json"],
    run: async (input, context) => await (await import("./config.ts")).list(input, context),
  }),
  command({
    ...common,
    words: "config path",
    positionals: [],
    summary: "the file that settings are kept in",
    examples: ["dexdata config path"],
    run: async (input, context) => await (await import("./config.ts")).path(input, context),
  }),
];
