import { Command, Option } from "commander";
import type { Context } from "../context/context.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { usageFailure } from "../contract/failure.ts";
import { versionLine } from "../contract/version.ts";
import { misreadCommand } from "./commands/command-words.ts";
import type { Flag, FlagValues } from "./flags/flags.ts";
import { globalFlags } from "./flags/global-flags.ts";
import { endpointFlags } from "./flags/endpoint-flags.ts";
import type { LocalCommand } from "./local-command.ts";

/** What a command line comes to: run once the words are split and nothing was wrong with them. */
export type Chosen = (context: Context) => Promise<number>;

export interface Commands {
  /** Of the service: the endpoints of each. */
  readonly groups: readonly (readonly Endpoint[])[];
  readonly local: readonly LocalCommand[];
}

/**
 * The commands as commander sees them: it splits words; every value is checked by us, and help is written by us. `choose`
 * receives what the command that was asked for comes to, `explain` the words of one that help is asked on. A command that
 * `argv` does not name is there by its name alone: the flags of all are 600, which takes 3 ms.
 */
export function createProgram(
  argv: readonly string[],
  { groups, local }: Commands,
  choose: (chosen: Chosen) => void,
  explain: (words: readonly string[]) => void,
): Command {
  const program = new Command("dexdata").helpCommand(false);
  program.configureHelp({
    formatHelp: (command) => {
      explain(wordsOf(command));
      return "";
    },
  });
  program.version(versionLine, "-V, --version", "print the version");
  for (const flag of globalFlags) program.addOption(toOption(flag));
  for (const group of groups) {
    const words = group[0]?.command ?? "";
    if (isNamed(argv, words)) addEndpointCommand(program, group, choose);
    else leafOf(program, words);
  }
  for (const command of local) {
    if (isNamed(argv, command.words)) addLocalCommand(program, command, choose);
    else leafOf(program, command.words);
  }
  return program;
}

/** Whether all words of the command are among those that were typed. */
export function isNamed(argv: readonly string[], words: string): boolean {
  return words.split(" ").every((word) => argv.includes(word));
}

/** `["pools", "search"]` */
export function wordsOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

/**
 * commander neither writes nor exits: what it would write is collected, its errors are thrown. Without a command it would
 * write its help as an error; asking nothing is no mistake. These settings are not inherited.
 */
export function quieten(command: Command, writeHelp: (text: string) => void): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: writeHelp, writeErr: writeHelp, outputError: () => undefined });
  for (const each of command.commands) quieten(each, writeHelp);
}

function addEndpointCommand(
  program: Command,
  group: readonly Endpoint[],
  choose: (chosen: Chosen) => void,
): void {
  const [endpoint] = group;
  if (endpoint === undefined) return;
  const flags = endpointFlags(group);
  const command = leafOf(program, endpoint.command);
  for (const flag of flags) command.addOption(toOption(flag));
  command.action((words: string[]) => {
    const values = flagValues(command, flags);
    refuseMisread(endpoint.command, words);
    choose(async (context) => {
      if (values["fields"] === "?") {
        const { listFieldsOf } = await import("./output/list-fields.ts");
        return await listFieldsOf(group, words, values, context);
      }
      const { runEndpoint } = await import("./run-endpoint.ts");
      return await runEndpoint(group, words, values, context);
    });
  });
}

function addLocalCommand(program: Command, local: LocalCommand, choose: (chosen: Chosen) => void): void {
  const command = leafOf(program, local.words);
  for (const flag of local.flags) command.addOption(toOption(flag));
  command.action((words: string[]) => {
    const values = flagValues(command, local.flags);
    // `sandbox --rpm` is the service's rate, not that of requests.
    const known = [...local.shared, ...local.flags.map(({ name }) => name)];
    const foreign = globalFlags.find(({ name }) => values[name] !== undefined && !known.includes(name));
    if (foreign !== undefined) {
      throw usageFailure(
        `--${foreign.name}: ${local.words} does not take it`,
        `see: dexdata ${local.words} --help`,
      );
    }
    choose(async (context) => await local.run(words, values, context));
  });
}

function refuseMisread(command: string, words: readonly string[]): void {
  const meant = misreadCommand(command, words);
  if (meant === undefined) return;
  throw usageFailure(`"${command} ${words[0]}": dexdata has no such command`, `did you mean ${meant}?`);
}

/** The command at the end of `tokens search`, made with its parents. Words are ours to count, so it takes any. */
function leafOf(program: Command, words: string): Command {
  const names = words.split(" ");
  let parent = program;
  for (const each of names.slice(0, -1)) {
    const known = parent.commands.find((command) => command.name() === each);
    parent = known ?? parent.command(each).helpCommand(false);
  }
  return parent.command(names.at(-1) ?? "").argument("[words...]");
}

function toOption(flag: Flag): Option {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const value = flag.value === undefined ? "" : ` <${flag.value}>`;
  const option = new Option(`${short}--${flag.name}${value}`);
  if (flag.name === "verbose") option.argParser((_, before: number | undefined) => (before ?? 0) + 1);
  if (flag.isRepeatable === true)
    option.argParser((text, before: readonly string[] | undefined) => [...(before ?? []), text]);
  return option;
}

/** What was typed, under the names of the flags themselves; a switch that was not typed is absent. */
function flagValues(command: Command, flags: readonly Flag[]): FlagValues {
  const typed = command.optsWithGlobals<Record<string, FlagValues[string]>>();
  const values: Record<string, FlagValues[string]> = {};
  for (const { name } of [...flags, ...globalFlags]) {
    const value = typed[attributeOf(name)];
    // commander knows `--no-strict` as a `strict` that is true unless typed.
    if (name.startsWith("no-")) values[name] = value === false ? true : undefined;
    else if (value !== undefined) values[name] = value;
  }
  return values;
}

/** As commander's options name it themselves; to make a second one of each flag takes half a millisecond. */
function attributeOf(name: string): string {
  return name.replace(/^no-/u, "").replaceAll(/-(.)/gu, (_, letter: string) => letter.toUpperCase());
}
