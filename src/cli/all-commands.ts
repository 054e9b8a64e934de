import { endpoints } from "../api/endpoints/all.ts";
import { type Command, command, commandGroups, reference } from "./commands/command.ts";
import { endpointCommand } from "./commands/endpoint/endpoint-command.ts";
import { streamCommand, syncCommand, verifyCommand } from "./commands/live-commands.ts";
import { apiCommand, explainCommand, schemaCommand } from "./commands/reference-commands.ts";
import { setupCommands } from "./commands/setup-commands.ts";
import { flag, pick } from "./run/flags/flag.ts";
import { toggle } from "./run/flags/flag-types.ts";
import { documentFlags, sharedFlags } from "./run/flags/shared-flags.ts";

const helpCommand = command({
  ...reference,
  words: "help",
  positionals: [{ name: "command|topic", isOptional: true, suggests: "commands and topics" }],
  summary: "Show full help for a command or a topic",
  examples: ["dexdata help txns", "dexdata help exit-codes"],
  shared: pick(sharedFlags, "error-format"),
  run: async ({ words }, context) =>
    await (await import("./program/help/print-help.ts")).printHelp(allCommands, words, "full", context),
});

const commandsCommand = command({
  ...reference,
  words: "commands",
  positionals: [{ name: "command", isOptional: true, suggests: "commands" }],
  summary: "List commands, flags, plans and costs for programs",
  examples: ["dexdata commands", "dexdata commands -o json", "dexdata commands pools search -o json"],
  flags: {
    all: flag(toggle, "Rows", { summary: "With -o json or ndjson: describe every command in full" }),
  },
  shared: documentFlags,
  notes: [
    "-o json and -o ndjson describe a named command in full: arguments, flags, examples and exit codes. Without a " +
      "name, they only list the commands.",
  ],
  run: async (input, context) =>
    await (await import("./program/list-commands.ts")).listCommands(allCommands, input, context),
});

/** In the order used in help. A command's code is loaded when the command runs. */
export const allCommands: readonly Command[] = [
  ...commandGroups(endpoints).map(endpointCommand),
  syncCommand,
  apiCommand,
  streamCommand,
  verifyCommand,
  ...setupCommands,
  helpCommand,
  explainCommand,
  commandsCommand,
  schemaCommand,
];
