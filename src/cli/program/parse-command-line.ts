import { Command as Parser, CommanderError, Option } from "commander";
import { type Failure, usageFailure } from "../../base/failure.ts";
import { versionLine } from "../../base/version.ts";
import { type Command, hasFlag } from "../commands/command.ts";
import type { Flags, TypedFlags } from "../run/flags/flag.ts";
import { sharedFlags } from "../run/flags/shared-flags.ts";
import type { HelpForm } from "./help/command-help.ts";
import { suggestFlag, hintAtWord, misreadCommand } from "./unknown-word.ts";

/** No other code reads argv. */
export interface CommandLine {
  /** The flags that could be parsed. */
  readonly typed: TypedFlags;
  readonly asks:
    | { readonly kind: "command"; readonly command: Command; readonly words: readonly string[] }
    | { readonly kind: "help"; readonly words: readonly string[]; readonly form: HelpForm }
    | { readonly kind: "version" }
    | { readonly kind: "refused"; readonly failure: Failure };
}

/**
 * commander splits the words and detects unknown flags and commands; the messages are written here. Commands parse flag
 * values later, because the same name can have different meanings in two commands.
 */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): CommandLine {
  // Most tools have such a command.
  if (argv.length === 1 && argv[0] === "version") return { typed: new Map(), asks: { kind: "version" } };
  const { program, reached, chosen } = createParser(namedIn(argv, commands));
  const refusal = refusedBy(() => program.parse(withoutSigns(argv), { from: "user" }));
  const parser = reached();
  const typed = typedFlags(parser, program);
  const failure = (found: Failure): CommandLine => ({ typed, asks: { kind: "refused", failure: found } });
  if (refusal === undefined) {
    const asked = chosen();
    if (asked === undefined) return failure(usageFailure("missing command", "see: dexdata --help"));
    const foreign = foreignWord(asked.command, asked.words, typed, commands);
    return foreign === undefined ? { typed, asks: { kind: "command", ...asked } } : failure(foreign);
  }
  switch (refusal.code) {
    case "commander.version":
      return { typed, asks: { kind: "version" } };
    case "commander.help":
    case "commander.helpDisplayed": {
      const form = argv.includes("--help") ? "full" : "brief";
      return { typed, asks: { kind: "help", words: wordsOf(parser), form } };
    }
    default:
      return failure(wordsFailure(refusal, parser, program, commands));
  }
}

/**
 * Reads `-o=json` as `-ojson`, because after a letter, commander takes the sign for a part of the value. Letters of flags
 * without a value may come before; in `-flimit=7`, the text after `-f` is its value.
 */
function withoutSigns(argv: readonly string[]): string[] {
  const dashes = argv.indexOf("--");
  return argv.map((word, index) =>
    dashes >= 0 && index > dashes ? word : word.replace(/^(-[hqv]*[A-Za-z])=(?=.)/su, "$1"),
  );
}

function refusedBy(parse: () => void): CommanderError | undefined {
  try {
    parse();
    return undefined;
  } catch (cause) {
    if (cause instanceof CommanderError) return cause;
    throw cause;
  }
}

const ignored = (): void => undefined;

/** Returns only the commands that argv may name, because setting up all of them with their 600 flags takes 7 ms. */
function namedIn(argv: readonly string[], commands: readonly Command[]): readonly Command[] {
  const isTyped = (words = ""): boolean => argv.includes(words.split(" ")[0] ?? words);
  const named = commands.filter(({ words, earlierWords }) => isTyped(words) || isTyped(earlierWords));
  return named.length > 0 ? named : commands;
}

function createParser(commands: readonly Command[]) {
  const program = new Parser("dexdata");
  let reached = program;
  let chosen: { readonly command: Command; readonly words: readonly string[] } | undefined;
  const reach = (_: Parser, inner: Parser): void => {
    reached = inner;
  };
  // commander must not print or exit. The type of its exception distinguishes help, version and errors.
  program
    .exitOverride()
    .configureOutput({ writeOut: ignored, writeErr: ignored, outputError: ignored })
    .configureHelp({ formatHelp: () => "" })
    .helpCommand(false)
    .version(versionLine, "-V, --version")
    .hook("preSubcommand", reach);
  addOptions(program, sharedFlags);
  for (const command of commands) {
    const parser = parserOf(program, command.words.split(" "), reach);
    if (command.earlierWords !== undefined) parser.alias(command.earlierWords);
    addOptions(parser, command.flags);
    // The command itself checks the number of arguments, so commander accepts any number.
    parser.argument("[words...]").action((words: string[]) => {
      chosen = { command, words };
    });
  }
  return { program, reached: () => reached, chosen: () => chosen };
}

/** Creates the parser for a command such as `tokens search`, including its parents. */
function parserOf(
  program: Parser,
  words: readonly string[],
  reach: (_: Parser, inner: Parser) => void,
): Parser {
  return words.reduce((parent, word, index) => {
    const known = parent.commands.find((each) => each.name() === word);
    if (known !== undefined) return known;
    const made = parent.command(word).helpCommand(false);
    return index < words.length - 1 ? made.hook("preSubcommand", reach) : made;
  }, program);
}

const append = (text: string | undefined, before: unknown): readonly (string | undefined)[] => [
  ...(Array.isArray(before) ? before : []),
  text,
];

/** Each option collects all values. A boolean flag does not have a value. */
function addOptions(parser: Parser, flags: Flags): void {
  for (const [name, { short, type }] of Object.entries(flags)) {
    const letter = short === undefined ? "" : `-${short}, `;
    const value = type.placeholder === undefined ? "" : ` <${type.placeholder}>`;
    parser.addOption(new Option(`${letter}--${name}${value}`).argParser(append));
  }
}

function typedFlags(parser: Parser, program: Parser): TypedFlags {
  const typed = new Map<string, readonly (string | undefined)[]>();
  for (const each of parser === program ? [program] : [parser, program]) {
    for (const option of each.options) {
      const texts: unknown = each.getOptionValue(option.attributeName());
      if (Array.isArray(texts)) typed.set(option.long?.slice(2) ?? "", texts);
    }
  }
  return typed;
}

/** Reports a flag from another command, or words that were probably meant as another command. */
function foreignWord(
  command: Command,
  words: readonly string[],
  typed: TypedFlags,
  commands: readonly Command[],
): Failure | undefined {
  const { words: path } = command;
  const foreign = [...typed.keys()].find((name) => !hasFlag(command, name));
  if (foreign !== undefined)
    return usageFailure(`unknown flag --${foreign} for "dexdata ${path}"`, `see: dexdata ${path} --help`);
  const meant = misreadCommand(commands, path, words);
  if (meant === undefined) return undefined;
  return usageFailure(`unknown command "${path} ${words[0]}"`, `did you mean ${meant}?`);
}

/** Rewrites an error from commander in dexdata's style. */
function wordsFailure(
  { code, message }: CommanderError,
  parser: Parser,
  program: Parser,
  commands: readonly Command[],
): Failure {
  const quoted = /'(?<word>[^']*)'/u.exec(message)?.groups?.["word"] ?? "";
  // The value after `=` is omitted, because it may be a secret.
  const word = quoted.replace(/^(--[^=]+)=.*$/su, "$1");
  const path = ["dexdata", ...wordsOf(parser)].join(" ");
  const help = `see: ${path} --help`;
  switch (code) {
    case "commander.unknownOption": {
      const known = ["--help", ...[...parser.options, ...program.options].map(({ long }) => long ?? "")];
      // If the flag is known, commander rejected it because a boolean flag was given a value.
      if (known.includes(word))
        return usageFailure(`${word} does not take a value`, `use ${word} without a value, or leave it out`);
      const hint = suggestFlag(commands, word, wordsOf(parser).join(" "), known);
      return usageFailure(`unknown flag ${word} for "${path}"`, hint ?? help);
    }
    case "commander.unknownCommand":
      return usageFailure(
        `unknown command "${[...wordsOf(parser), word].join(" ")}"`,
        hintAtWord(commands, word, wordsOf(parser)) ?? help,
      );
    case "commander.optionMissingArgument": {
      const flag = /--[\w-]+/u.exec(word)?.[0] ?? word;
      return usageFailure(`missing value for ${flag}`, help);
    }
    default:
      return usageFailure(message.replace(/^error: /u, ""), help);
  }
}

/** For example, `["pools", "search"]`. */
function wordsOf(parser: Parser): readonly string[] {
  return parser.parent === null ? [] : [...wordsOf(parser.parent), parser.name()];
}
