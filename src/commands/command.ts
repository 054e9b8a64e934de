import type { Context } from "../context/context.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { type Flags, readValues, type TypedFlags, type Values } from "../run/flags/flag.ts";
import type { Block } from "../render/page/help-page.ts";

/** Where the overview of all commands lists it, in that order. */
export const sections = ["Market data", "Live data", "Setup", "Reference"] as const;

export type Section = (typeof sections)[number];

/** One command: the command line, help, the man page, completion and `commands -o json` read it. */
export interface Command {
  /** The words that ask for it: `pools search`. */
  readonly words: string;
  readonly section: Section;
  readonly positionals: readonly Positional[];
  readonly summary: string;
  readonly examples: readonly string[];
  /** Its own, in the order of help. */
  readonly flags: Flags;
  /** Those of the shared flags that mean something here. */
  readonly shared: Flags;
  /** What a run costs; undefined where nothing is sent. */
  readonly credits?: InWords;
  /** Which plans may run it. */
  readonly plan: PlanInWords;
  /** What full help says below the flags. */
  readonly notes?: readonly Block[];
  /** Those of the service that it asks, where it is their command. */
  readonly endpoints: readonly Endpoint[];
  readonly run: (words: readonly string[], typed: TypedFlags, context: Context) => Promise<number>;
}

export interface InWords {
  readonly full: string;
  /** The same where a table has little room. */
  readonly brief: string;
}

export interface PlanInWords extends InWords {
  /** Some plans may not run it, or not with every flag. */
  readonly isBounded?: true;
}

export const anyPlan: PlanInWords = { full: "any (no key required)", brief: "any" };

/** A word that is no flag. */
export interface Positional {
  readonly name: string;
  readonly isOptional?: true;
  readonly isRepeatable?: true;
  /** `-` stands for stdin, `@name` for a file. */
  readonly isList?: true;
  /** A shell would read it as something else, unless it is quoted. */
  readonly isQuoted?: true;
  readonly suggests?: readonly string[] | PositionalSuggestion;
}

/** What completion offers for it, where that is no fixed set. */
export type PositionalSuggestion =
  | "networks"
  | "addresses"
  | "profiles"
  | "records"
  | "settings"
  | "setting values"
  | "commands"
  | "commands and topics"
  | "command line";

/** What a command is run with: its words, and its flags read by their own types. */
export interface Input<F extends Flags> {
  readonly words: readonly string[];
  readonly flags: Values<F>;
  /** The flags as they were typed, to be said again. */
  readonly typed: TypedFlags;
}

interface Described<Own extends Flags, Shared extends Flags> extends Omit<
  Command,
  "flags" | "shared" | "endpoints" | "run" | "plan"
> {
  readonly plan?: PlanInWords;
  readonly flags: Own;
  readonly shared: Shared;
  readonly run: (input: Input<Own & Shared>, context: Context) => Promise<number>;
}

/** A command that is no endpoint's own. */
export function command<Own extends Flags, Shared extends Flags>(described: Described<Own, Shared>): Command {
  const { flags, shared, run } = described;
  const all: Own & Shared = { ...shared, ...flags };
  return {
    ...described,
    plan: described.plan ?? anyPlan,
    endpoints: [],
    run: async (words, typed, context) => await run({ words, typed, flags: readValues(all, typed) }, context),
  };
}

/** Whether the command accepts a flag of this name. */
export function hasFlag({ flags, shared }: Command, name: string): boolean {
  return Object.hasOwn(flags, name) || Object.hasOwn(shared, name);
}

/** As help shows it: `<address…|@file|->`. */
export function positionalText({ name, isOptional, isRepeatable, isList, isQuoted }: Positional): string {
  const inside = `${name}${isRepeatable ? "…" : ""}${isList ? "|@file|-" : ""}`;
  const shown = isOptional ? `[${inside}]` : `<${inside}>`;
  return isQuoted ? `'${shown}'` : shown;
}

/** The command and its words, as help and refusals show them. */
export function usageOf({ words, positionals }: Pick<Command, "words" | "positionals">): string {
  return [words, ...positionals.map(positionalText)].join(" ");
}
