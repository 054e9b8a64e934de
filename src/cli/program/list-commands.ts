import type { Context } from "../../base/context/context.ts";
import type { ExitCode } from "../../base/exit-codes.ts";
import { usageFailure } from "../../base/failure.ts";
import { didYouMean, nearest } from "../../base/text/nearest.ts";
import { type Command, type Positional, usageOf } from "../commands/command.ts";
import type { LocalOutputFlags } from "../run/flags/shared-flags.ts";
import { formatOf, writeDocument, writeRows } from "../run/output/local-output.ts";
import { defaultOf, type Flag, type Flags } from "../run/flags/flag.ts";
import { flagHelp } from "./help/flag-rows.ts";

/** Formats for programs include the flags of a named command, because those of all commands take 170 kB. */
export async function listCommands(
  all: readonly Command[],
  {
    words,
    flags,
  }: { readonly words: readonly string[]; readonly flags: LocalOutputFlags & { all?: true | undefined } },
  context: Context,
): Promise<ExitCode> {
  const asked = words.join(" ");
  const entries = all.filter((entry) => asked === "" || `${entry.words} `.startsWith(`${asked} `));
  if (entries.length === 0) {
    const names = all.map((entry) => entry.words);
    const hint = didYouMean(nearest(asked, names), "list them: dexdata commands");
    throw usageFailure(`unknown command "${asked}"`, hint);
  }
  const describe = asked === "" && flags.all !== true ? outline : describeCommand;
  const format = formatOf(context, flags);
  if (format === "json" || format === "ndjson")
    return await writeDocument(context, format, entries.map(describe));
  return await writeRows(
    context,
    flags,
    entries.map((entry) => ({
      command: entry.words,
      credits: entry.credits?.brief ?? "none",
      plan: entry.plan.brief,
      flags: Object.keys(entry.flags).length + Object.keys(entry.shared).length,
    })),
  );
}

const outline = ({ words, summary, credits, plan }: Command) => ({
  command: words,
  summary,
  credits: credits?.full ?? null,
  plan: credits === undefined ? null : plan.full,
});

/** Describes a command for programs that build or check command lines. */
function describeCommand(command: Command) {
  const { words, section, summary, positionals, flags, shared, examples, credits, plan, exits } = command;
  return {
    command: words,
    section,
    summary,
    usage: `dexdata ${usageOf(command)}`,
    positionals: positionals.map(describePositional),
    /** If `shared` is true, other commands accept the same flag. */
    flags: [...describeFlags(flags, false), ...describeFlags(shared, true)],
    examples,
    exit_codes: exits.toSorted((one, other) => one - other),
    /** The exit code can also be that of the program that the command runs. */
    passes_exit_code: command.passesExit,
    /** Empty unless the command is for an endpoint. */
    endpoints: command.endpoints.map(({ id, method, path, plan: needed }) => ({
      id,
      method,
      path,
      plan: needed,
    })),
    /** Both are null if the command does not send requests. */
    credits: credits?.full ?? null,
    plan: credits === undefined ? null : plan.full,
  };
}

/** With `stdin`, `-` reads a list from stdin. With `file`, `@name` reads a list from a file. */
function describePositional({ name, isOptional, isRepeatable, isList }: Positional) {
  return {
    name,
    required: isOptional !== true,
    repeatable: isRepeatable === true,
    stdin: isList === true,
    file: isList === true,
  };
}

/** `placeholder` is null for a boolean flag. */
function describeFlags(flags: Flags, shared: boolean) {
  return Object.entries(flags).map(([name, flag]) => ({
    name,
    short: flag.short ?? null,
    type: flag.type.name,
    placeholder: flag.type.placeholder ?? null,
    choices: flag.type.choices ?? null,
    default: jsonDefault(flag),
    repeatable: flag.type.isRepeatable,
    shared,
    group: flag.group,
    help: flagHelp(flag),
  }));
}

/** In milliseconds for a duration, an array for a list, and null if there is none or it depends on the run. */
function jsonDefault(flag: Flag): unknown {
  const usual = defaultOf(flag);
  return usual instanceof Set ? [...usual] : (usual ?? null);
}
