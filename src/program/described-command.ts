import { exitCodes } from "../contract/exit-codes.ts";
import { type Command, type Positional, usageOf } from "../commands/command.ts";
import type { Flag, Flags } from "../run/flags/flag.ts";
import { flagHelp } from "./help/flag-rows.ts";

/** One command for a program that builds or checks command lines; the names are those of its JSON. */
export interface DescribedCommand {
  readonly command: string;
  readonly section: string;
  readonly summary: string;
  readonly usage: string;
  readonly positionals: readonly DescribedPositional[];
  readonly flags: readonly DescribedFlag[];
  readonly examples: readonly string[];
  readonly exit_codes: readonly number[];
  /** What it asks of the service; empty where it is none of the commands that are an endpoint's. */
  readonly endpoints: readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly plan: string;
  }[];
  /** Null where nothing is sent. */
  readonly credits: string | null;
  readonly plan: string | null;
}

export interface DescribedPositional {
  readonly name: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  /** `-` stands for stdin. */
  readonly stdin: boolean;
  /** `@name` stands for a file. */
  readonly file: boolean;
}

export interface DescribedFlag {
  readonly name: string;
  readonly short: string | null;
  readonly type: string;
  /** What stands for the value in help; null for a switch. */
  readonly placeholder: string | null;
  readonly choices: readonly string[] | null;
  /** As help says it; null where there is none, or where it depends. */
  readonly default: string | null;
  readonly repeatable: boolean;
  /** Whether other commands take the very same flag. */
  readonly shared: boolean;
  readonly group: string;
  readonly help: string;
}

export function describeCommand(command: Command): DescribedCommand {
  const { words, section, summary, positionals, flags, shared, examples, credits, plan } = command;
  return {
    command: words,
    section,
    summary,
    usage: `dexdata ${usageOf(command)}`,
    positionals: positionals.map(describePositional),
    flags: [...describeFlags(flags, false), ...describeFlags(shared, true)],
    examples,
    exit_codes: exitsOf(command),
    endpoints: command.endpoints.map(({ id, method, path, plan: needed }) => ({
      id,
      method,
      path,
      plan: needed,
    })),
    credits: credits?.full ?? null,
    plan: credits === undefined ? null : plan.full,
  };
}

function describePositional({ name, isOptional, isRepeatable, isList }: Positional): DescribedPositional {
  return {
    name,
    required: isOptional !== true,
    repeatable: isRepeatable === true,
    stdin: isList === true,
    file: isList === true,
  };
}

function describeFlags(flags: Flags, isShared: boolean): readonly DescribedFlag[] {
  return Object.entries(flags).map(([name, flag]) => describeFlag(name, flag, isShared));
}

function describeFlag(name: string, flag: Flag, shared: boolean): DescribedFlag {
  const { type } = flag;
  return {
    name,
    short: flag.short ?? null,
    type: type.name,
    placeholder: type.placeholder ?? null,
    choices: type.choices ?? null,
    default: flag.default ?? null,
    repeatable: type.isRepeatable === true,
    shared,
    group: flag.group,
    help: flagHelp(flag),
  };
}

const ofService = [3, 4, 5, 6, 7];

/** A run can come short of what was asked where several inputs are one run, and where it goes on until stopped. */
function exitsOf({ credits, flags, positionals }: Command): readonly number[] {
  const isSent = credits !== undefined;
  const isSeveral = positionals.some(({ isRepeatable }) => isRepeatable) || "idle-exit" in flags;
  return Object.keys(exitCodes)
    .map(Number)
    .filter((exit) => (isSent || !ofService.includes(exit)) && (exit !== 8 || (isSeveral && isSent)));
}
