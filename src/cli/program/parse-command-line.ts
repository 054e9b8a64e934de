import { isAssetName } from "../../api/known-networks.ts";
import { Command as CommanderCommand, Option } from "commander";
import { type Failure, usageFailure } from "../../base/failure.ts";
import { type Command, hasFlag, type HiddenWord, hiddenWordsOf } from "../commands/command.ts";
import type { Flags, TypedFlags } from "../run/flags/flag.ts";
import { sharedFlags } from "../run/flags/shared-flags.ts";
import { nearest } from "../../base/text/nearest.ts";
import { suggestFlag, hintAtWord } from "./unknown-word.ts";
import type { HelpForm } from "../help-page.ts";

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
  try {
    createParser(argv, commands).parse(withoutSigns(argv), { from: "user" });
  } catch (cause) {
    if (cause instanceof ParsingEnd) return cause.line;
    throw cause;
  }
  throw new Error("commander called no command and refused nothing");
}

/**
 * Reads `-o=json` as `-ojson`, because after a letter, commander takes the sign for a part of the value. Letters of flags
 * without a value may come before; in `-flimit=7`, the text after `-f` is its value.
 */
function withoutSigns(argv: readonly string[]): string[] {
  const dashes = argv.indexOf("--");
  const [typed, rest] = dashes < 0 ? [argv, []] : [argv.slice(0, dashes), argv.slice(dashes)];
  const words = typed.flatMap((word, index) => {
    // Short for `-o json --fields a,b`. A word is a list of fields only if it has a comma; it could be an argument.
    const [json, fields] = /^--json(?:=(.*))?$/su.exec(word) ?? [];
    if (json !== undefined) return ["-ojson", ...(fields === undefined ? [] : ["--fields", fields])];
    if (typed[index - 1] === "--json" && /^[\w.*]+(?:,[\w.*]+)+$/u.test(word)) return ["--fields", word];
    return [word.replace(/^(-[hqv]*[A-Za-z])=(?=.)/su, "$1")];
  });
  return [...words, ...rest];
}

/** Thrown from the callbacks of commander, which would print, exit or continue after them. */
class ParsingEnd extends Error {
  readonly line: CommandLine;

  constructor(parser: Parser, asks: CommandLine["asks"], flag?: string, rest?: readonly string[]) {
    super();
    const typed = new Map(typedFlags(parser));
    if (flag !== undefined) typed.set(flag, [undefined]);
    if (rest !== undefined) typed.set("--", rest);
    this.line = { typed, asks };
  }
}

/**
 * commander calls methods of its class to show help and to report words that it cannot parse. Its type declarations omit
 * `unknownOption`, `unknownCommand` and `optionMissingArgument`.
 */
class Parser extends CommanderCommand {
  readonly #argv: readonly string[];
  readonly #all: readonly Command[];

  constructor(name: string, argv: readonly string[], all: readonly Command[]) {
    super(name);
    this.#argv = argv;
    this.#all = all;
    this.helpCommand(false);
  }

  override createCommand(name = ""): Parser {
    return new Parser(name, this.#argv, this.#all);
  }

  override outputHelp(): never {
    const form = this.#argv.includes("--help") ? "full" : "brief";
    throw new ParsingEnd(this, { kind: "help", words: this.words, form });
  }

  unknownOption(typed: string): never {
    const flag = withoutValue(typed);
    const options = this.lineage.flatMap((each) => each.options);
    const known = ["--help", ...options.map(({ long }) => long ?? "")];
    // If the flag is known, commander rejected it because a boolean flag was given a value.
    if (known.includes(flag))
      this.refuse(`${flag} does not take a value`, `use ${flag} without a value, or leave it out`);
    const path = ["dexdata", ...this.words].join(" ");
    const hint = suggestFlag(this.#all, flag, this.words.join(" "), known);
    this.refuse(`unknown flag ${flag} for "${path}"`, hint);
  }

  unknownCommand(): never {
    const word = withoutValue(this.args[0] ?? "");
    const hint = hintAtWord(this.#all, word, this.words);
    this.refuse(`unknown command "${[...this.words, word].join(" ")}"`, hint);
  }

  optionMissingArgument(option: Option): never {
    // The flag is the last word. A shared flag is parsed before the command, which is therefore not known yet.
    const { asks } = parseCommandLine(this.#argv.slice(0, -1), this.#all);
    const words = asks.kind === "command" ? asks.command.words.split(" ") : this.words;
    this.refuse(`missing value for --${option.name()}`, seeHelp(words));
  }

  /** Any other failure. The flags and words declared below cause none. */
  override error(message: string): never {
    this.refuse(message.replace(/^error: /u, ""));
  }

  /** This parser and those around it, e.g. of `pools search`, `pools` and `dexdata`. */
  get lineage(): readonly Parser[] {
    return this.parent instanceof Parser ? [this, ...this.parent.lineage] : [this];
  }

  /** For example, `["pools", "search"]`. */
  get words(): readonly string[] {
    return this.parent instanceof Parser ? [...this.parent.words, this.name()] : [];
  }

  refuse(message: string, hint = seeHelp(this.words)): never {
    throw new ParsingEnd(this, { kind: "refused", failure: usageFailure(message, hint) });
  }
}

const seeHelp = (words: readonly string[]): string => `see: ${["dexdata", ...words, "--help"].join(" ")}`;

/** The value after `=` may be a secret. */
function withoutValue(word: string): string {
  return word.replace(/^(--[^=]+)=.*$/su, "$1");
}

/** Returns only the commands that argv may name, because setting up all of them with their 600 flags takes 7 ms. */
function namedIn(argv: readonly string[], commands: readonly Command[]): readonly Command[] {
  const isTyped = (words: string): boolean => argv.includes(words.split(" ")[0] ?? words);
  const named = commands.filter(
    (command) => isTyped(command.words) || hiddenWordsOf(command).some(({ word }) => isTyped(word)),
  );
  return named.length > 0 ? named : commands;
}

function createParser(argv: readonly string[], commands: readonly Command[]): Parser {
  const program = new Parser("dexdata", argv, commands);
  program.addOption(new Option("-V, --version")).on("option:version", () => {
    throw new ParsingEnd(program, { kind: "version" });
  });
  addOptions(program, sharedFlags);
  for (const command of namedIn(argv, commands)) {
    const own: Pick<HiddenWord, "word" | "flag"> = { word: command.words };
    for (const { word, flag } of [own, ...hiddenWordsOf(command)]) {
      const parser = word.split(" ").reduce(subcommand, program);
      addOptions(parser, command.flags);
      // The command itself checks the number of arguments, so commander accepts any number.
      parser.argument("[words...]").action((words: string[]) => {
        // With --when or --follow, the words after -- are a command for each alert or row.
        const hasAlerts = ["when", "follow"].some((name) => parser.getOptionValue(name) !== undefined);
        const dashes = hasAlerts ? argv.indexOf("--") : -1;
        const rest = dashes < 0 ? undefined : argv.slice(dashes + 1);
        const before = words.slice(0, words.length - (rest?.length ?? 0));
        refuseForeign(parser, command, before, commands);
        if (!hasAlerts && hasFlag(command, "when")) refuseProgram(parser, argv, command, before);
        throw new ParsingEnd(parser, { kind: "command", command, words: before }, flag, rest);
      });
    }
  }
  return program;
}

/** Returns the parser for a word after those of its parent, created once. */
function subcommand(parent: Parser, word: string): Parser {
  const known = parent.commands.filter((each) => each instanceof Parser);
  return known.find((each) => each.name() === word) ?? parent.command(word);
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

function typedFlags(parser: Parser): TypedFlags {
  const typed = new Map<string, readonly (string | undefined)[]>();
  for (const each of parser.lineage) {
    for (const option of each.options) {
      const texts: unknown = each.getOptionValue(option.attributeName());
      if (Array.isArray(texts)) typed.set(option.name(), texts);
    }
  }
  return typed;
}

/** Refuses a program that no flag runs. After --, a script may also pass addresses, which are never names or paths. */
function refuseProgram(
  parser: Parser,
  argv: readonly string[],
  command: Command,
  words: readonly string[],
): void {
  const dashes = argv.indexOf("--");
  const [first = "", ...rest] = dashes < 0 ? [] : argv.slice(dashes + 1);
  const isAfterOthers = words.length > rest.length + 1;
  if (isAfterOthers && (isAssetName(first) || /^[.~]{0,2}\//u.test(first)))
    parser.refuse(
      `a program after -- requires --when${hasFlag(command, "follow") ? " or --follow" : ""}`,
      "add --when and a condition, or remove the program",
    );
}

/** Refuses a flag from another command, and words that were probably meant as another command. */
function refuseForeign(
  parser: Parser,
  command: Command,
  words: readonly string[],
  commands: readonly Command[],
): void {
  const { words: path } = command;
  const foreign = [...typedFlags(parser).keys()].find((name) => !hasFlag(command, name));
  if (foreign !== undefined) parser.refuse(`unknown flag --${foreign} for "dexdata ${path}"`);
  const meant = misreadCommand(commands, path, words);
  if (meant !== undefined) parser.refuse(`unknown command "${path} ${words[0]}"`, `did you mean ${meant}?`);
  // No network, asset or path is called this, so a request for it would be wasted. A query or a file may be.
  const isSent = ["network", "network:address", "path"].includes(command.positionals[0]?.name ?? "");
  if (isSent && words.length === 1 && words[0] === "help") parser.refuse(`unknown command "${path} help"`);
}

/** Finds the two-word command that was probably meant: `pool search` parses as a pool on the network `search`. */
function misreadCommand(
  commands: readonly Command[],
  path: string,
  [second]: readonly string[],
): string | undefined {
  return commands.find(({ words }) => {
    const [first = "", ...rest] = words.split(" ");
    return rest.length === 1 && rest[0] === second && nearest(path, [first]) !== undefined;
  })?.words;
}
