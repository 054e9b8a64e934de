import { type Command, command } from "../commands/command.ts";
import { pick } from "../run/flags/flag.ts";
import { documentFlags, sharedFlags } from "../run/flags/shared-flags.ts";

/** Those that read the list they are in. */
type All = () => readonly Command[];

export const helpCommand = (all: All): Command =>
  command({
    words: "help",
    section: "Reference",
    positionals: [{ name: "command|topic", isOptional: true, suggests: "commands and topics" }],
    summary: "a command in full, or a topic",
    examples: ["dexdata help txns", "dexdata help exit-codes"],
    flags: {},
    shared: pick(sharedFlags, "error-format"),
    run: async ({ words }, context) =>
      await (await import("./help/print-help.ts")).printHelp(all(), words, "full", context),
  });

export const commandsCommand = (all: All): Command =>
  command({
    words: "commands",
    section: "Reference",
    positionals: [{ name: "command", isOptional: true, suggests: "commands" }],
    summary: "every command with flags, exit codes, plan and credits, as data",
    examples: ["dexdata commands", "dexdata commands -o json", "dexdata commands pools search -o json"],
    flags: {},
    shared: documentFlags,
    run: async ({ words, flags }, context) =>
      await (await import("./list-commands.ts")).listCommands(all(), words, flags, context),
  });
