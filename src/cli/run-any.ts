import { CommanderError, type Command } from "commander";
import { endpoints } from "../contract/endpoints/all.ts";
import type { Context } from "../context/context.ts";
import { type Failure, usageFailure } from "../contract/failure.ts";
import { nearest } from "../text/nearest.ts";
import { didYouMean } from "./asking/nearest-command.ts";
import { commandGroups } from "./asking/positionals.ts";
import { hintAtCommand, hintAtFlag } from "./asking/unknown-word.ts";
import { localCommands } from "./commands/local-commands.ts";
import { type Chosen, createProgram, quieten, wordsOf } from "./program.ts";

/** What any words come to: with every command at hand, so that a refusal can say what was meant. */
export async function runAny(argv: readonly string[], context: Context): Promise<number> {
  let chosen: Chosen | undefined;
  let explained: readonly string[] | undefined;
  let version = "";
  const program = createProgram(
    argv,
    { groups: commandGroups(endpoints), local: localCommands },
    (choice) => {
      chosen = choice;
    },
    (words) => {
      explained = words;
    },
  );
  quieten(program, (text) => {
    version += text;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    const isAsked = ["commander.helpDisplayed", "commander.help", "commander.version"].includes(cause.code);
    if (!isAsked) throw wordsFailure(cause, program, argv);
    if (explained !== undefined) {
      const { printHelp } = await import("./help/print-help.ts");
      return await printHelp(explained, argv.includes("--help") ? "full" : "brief", context);
    }
    await context.stdout.write(version);
    return 0;
  }
  if (chosen === undefined) throw usageFailure("a command is needed", "see: dexdata --help");
  return await chosen(context);
}

/** commander's refusals in our form: the word at fault, then the nearest known one. */
function wordsFailure(error: CommanderError, program: Command, argv: readonly string[]): Failure {
  const typed = /'(?<word>[^']*)'/u.exec(error.message)?.groups?.["word"] ?? "";
  // A value after `=` is not repeated: it may be a secret.
  const word = typed.replace(/^(--[^=]+)=.*$/su, "$1");
  const command = commandOf(program, argv, word);
  const path = pathOf(command);
  const help = `see: ${path} --help`;
  switch (error.code) {
    case "commander.unknownOption": {
      const flags = ["--help", ...[...command.options, ...program.options].map(({ long }) => long ?? "")];
      // Of a switch that is known only a value can be at fault.
      if (flags.includes(word))
        return usageFailure(`${word}: takes no value`, `write ${word} alone, or leave it out`);
      const hint = hintAtFlag(word, wordsOf(command).join(" "), flags);
      return usageFailure(`${word}: ${path} has no such flag`, hint ?? help);
    }
    case "commander.unknownCommand": {
      const names = command.commands.map((each) => each.name());
      const hint = command === program ? hintAtCommand(word) : didYouMean(nearest(word, names), help);
      return usageFailure(`"${word}": ${path} has no such command`, hint ?? help);
    }
    case "commander.optionMissingArgument":
      return usageFailure(
        `${/(?<flag>--[\w-]+)/u.exec(word)?.groups?.["flag"] ?? word}: a value is needed`,
        help,
      );
    default:
      return usageFailure(error.message.replace(/^error: /u, ""), help);
  }
}

/** The innermost command that the words before the one at fault name. */
function commandOf(program: Command, argv: readonly string[], fault: string): Command {
  let command = program;
  for (const word of argv) {
    if (word === fault) break;
    const inner = command.commands.find((each) => each.name() === word);
    if (inner !== undefined) command = inner;
  }
  return command;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
