import { endpoints } from "../api/endpoints/all.ts";
import { localExits } from "../base/exit-codes.ts";
import { apiCommand } from "./commands/api/api-command.ts";
import { commandGroups } from "./commands/input/positionals.ts";
import { authCommands } from "./commands/auth/auth-commands.ts";
import { type Command, command } from "./commands/command.ts";
import { endpointCommand } from "./commands/endpoint/endpoint-command.ts";
import { completionCommand } from "./commands/completion/completion-command.ts";
import { configCommands } from "./commands/config/config-commands.ts";
import { doctorCommand } from "./commands/doctor/doctor-command.ts";
import { explainCommand } from "./commands/explain/explain-command.ts";
import { sandboxCommand } from "./commands/sandbox/sandbox-command.ts";
import { schemaCommand } from "./commands/schema/schema-command.ts";
import { streamCommand } from "./commands/stream/stream-command.ts";
import { syncCommand } from "./commands/sync/sync-command.ts";
import { verifyCommand } from "./commands/verify/verify-command.ts";
import { nameCommands } from "./commands/name/name-commands.ts";
import { flag, pick } from "./run/flags/flag.ts";
import { toggle } from "./run/flags/flag-types.ts";
import { documentFlags, sharedFlags } from "./run/flags/shared-flags.ts";

const helpCommand = command({
  words: "help",
  section: "Reference",
  positionals: [{ name: "command|topic", isOptional: true, suggests: "commands and topics" }],
  summary: "Show full help for a command or a topic",
  examples: ["dexdata help txns", "dexdata help exit-codes"],
  exits: localExits,
  flags: {},
  shared: pick(sharedFlags, "error-format"),
  run: async ({ words }, context) =>
    await (await import("./program/help/print-help.ts")).printHelp(allCommands, words, "full", context),
});

const commandsCommand = command({
  words: "commands",
  section: "Reference",
  positionals: [{ name: "command", isOptional: true, suggests: "commands" }],
  summary: "List commands, flags, plans and costs for programs",
  examples: ["dexdata commands", "dexdata commands -o json", "dexdata commands pools search -o json"],
  exits: localExits,
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
  ...authCommands,
  ...nameCommands,
  ...configCommands,
  doctorCommand,
  completionCommand,
  sandboxCommand,
  helpCommand,
  explainCommand,
  commandsCommand,
  schemaCommand,
];
