import type { Context } from "../../base/context/context.ts";
import { type ExitCode, localExits } from "../../base/exit-codes.ts";
import { groupBy } from "../../base/group-by.ts";
import { traitsOf } from "../../api/reply.ts";
import { type Endpoint, takesAddress, takesNetwork } from "../../api/endpoint.ts";
import { type Flags, readValues, type TypedFlags, type Values } from "../run/flags/flag.ts";
import type { RunInput } from "../run/run-options.ts";
import type { Block } from "../help-page.ts";

/** A part of the overview. */
export type Section = "Market data" | "Live data and files" | "Setup" | "Reference";

/** The command line, help, the man page, completion and `commands -o json` all use this description. */
export interface Command {
  /** For example, `pools search`. */
  readonly words: string;
  readonly section: Section;
  readonly positionals: readonly Positional[];
  /** An alternative form of the arguments, also shown in help. */
  readonly otherForm: readonly Positional[] | undefined;
  readonly summary: string;
  readonly examples: readonly string[];
  /** The flags that only this command has, in the order used in help. */
  readonly flags: Flags;
  readonly shared: Flags;
  /** Undefined if the command sends no requests. */
  readonly credits: InWords | undefined;
  readonly plan: PlanInWords;
  /** Every exit code that a run can have. Help, docs and `commands -o json` list them, and the tests check each run. */
  readonly exits: readonly ExitCode[];
  /** The exit code can also be that of a program that the command runs. */
  readonly passesExit: boolean;
  /** What the full help shows below the flags. A text is a paragraph. */
  readonly notes: readonly (string | Block)[];
  /** Empty unless it is an API command. */
  readonly endpoints: readonly Endpoint[];
  readonly run: (words: readonly string[], typed: TypedFlags, context: Context) => Promise<number>;
}

interface InWords {
  readonly full: string;
  readonly brief: string;
}

export interface PlanInWords extends InWords {
  /** Some plans cannot run the command or use all of its flags. */
  readonly isBounded: boolean;
}

export const anyPlan: PlanInWords = { full: "any (no key required)", brief: "any", isBounded: false };

export interface Positional {
  readonly name: string;
  readonly isOptional?: true;
  readonly isRepeatable?: true;
  /** `-` reads a list from stdin, and `@name` reads a list from a file. */
  readonly isList?: true;
  /** A shell would otherwise interpret the argument. */
  readonly isQuoted?: true;
  readonly suggests?: readonly string[] | PositionalSuggestion;
}

export type PositionalSuggestion =
  | "files"
  | "networks"
  | "addresses"
  | "names"
  | "profiles"
  | "records"
  | "settings"
  | "setting values"
  | "commands"
  | "commands and topics"
  | "command line";

export interface Input<F extends Flags> extends Omit<RunInput, "flags"> {
  readonly flags: Values<F>;
}

const usual = { otherForm: undefined, credits: undefined, plan: anyPlan, passesExit: false, notes: [] };

interface Described<Own extends Flags, Shared extends Flags>
  extends
    Omit<Command, "flags" | "shared" | "endpoints" | "run" | keyof typeof usual>,
    Partial<Pick<Command, keyof typeof usual>> {
  readonly flags: Own;
  readonly shared: Shared;
  readonly run: (input: Input<Own & Shared>, context: Context) => Promise<number>;
}

/** For commands that are not generated from an endpoint. */
export function command<Own extends Flags, Shared extends Flags>(described: Described<Own, Shared>): Command {
  const { flags, shared, run } = described;
  const all: Own & Shared = { ...shared, ...flags };
  return {
    ...usual,
    ...described,
    endpoints: [],
    run: async (words, typed, context) =>
      await run({ words, typed, flags: readValues(all, typed), spent: undefined }, context),
  };
}

/** What most commands of this section have. */
export const reference = { section: "Reference", flags: {}, exits: localExits } as const;

export function hasFlag({ flags, shared }: Command, name: string): boolean {
  return Object.hasOwn(flags, name) || Object.hasOwn(shared, name);
}

/** For example, `<address…|@file|->`. */
export function positionalText({ name, isOptional, isRepeatable, isList, isQuoted }: Positional): string {
  const inside = `${name}${isRepeatable ? "…" : ""}${isList ? "|@file|-" : ""}`;
  const shown = isOptional ? `[${inside}]` : `<${inside}>`;
  return isQuoted ? `'${shown}'` : shown;
}

export function usageOf({ words, positionals }: Pick<Command, "words" | "positionals">): string {
  return [words, ...positionals.map(positionalText)].join(" ");
}

export function usagesOf({ words, positionals, otherForm, flags, shared }: Command): readonly string[] {
  const flagsText = Object.keys({ ...flags, ...shared }).length === 0 ? [] : ["[flags]"];
  return [positionals, ...(otherForm === undefined ? [] : [otherForm])].map((form) => {
    // A command line takes all the words that follow it, so flags come first.
    const first = form.filter(({ suggests }) => suggests !== "command line").map(positionalText);
    const last = form.filter(({ suggests }) => suggests === "command line").map(positionalText);
    return ["dexdata", words, ...first, ...flagsText, ...last].join(" ");
  });
}

const listedAddresses = { isRepeatable: true, isList: true, suggests: "addresses" } as const;

export const networkAndAddresses: readonly Positional[] = [
  { name: "network", suggests: "networks" },
  { name: "address", ...listedAddresses },
];

export const addressesWithNetworks: readonly Positional[] = [{ name: "network:address", ...listedAddresses }];

/** The endpoints of one command. */
export type EndpointGroup = readonly [Endpoint, ...Endpoint[]];

export function commandGroups(all: readonly Endpoint[]): readonly EndpointGroup[] {
  return [...groupBy(all, (endpoint) => endpoint.command).values()];
}

export function positionalsOf(group: EndpointGroup): readonly Positional[] {
  const [endpoint] = group;
  if (endpoint.words !== undefined) return [{ name: endpoint.words }];
  const isOptional = group.some((other) => !takesNetwork(other));
  const network: Positional = { name: "network", ...(isOptional && { isOptional }), suggests: "networks" };
  const before = takesNetwork(endpoint) ? [network] : [];
  if (!takesAddress(endpoint)) return before;
  const isOfPools = group.every(({ path }) => path.includes("{pool_address}"));
  const named = isOfPools && !traitsOf(endpoint.reply).isRecord ? "pool" : "address";
  return [...before, { name: named, isRepeatable: true, isList: true, suggests: "addresses" }];
}

/** A word that other tools use. It works, and the reference lists it, but help and completion do not. */
export interface HiddenWord {
  readonly word: string;
  /** The words of the command that it stands for. */
  readonly command: string;
  /** A flag without a value that it adds. */
  readonly flag?: string;
}

export const hiddenWords: readonly HiddenWord[] = [
  { word: "price", command: "prices" },
  { word: "trades", command: "txns" },
  { word: "swaps", command: "txns" },
  { word: "candles", command: "ohlcv" },
  { word: "chart", command: "ohlcv", flag: "chart" },
  { word: "chains", command: "networks" },
  { word: "login", command: "auth login" },
  // The name of the command in earlier versions.
  { word: "migrate", command: "explain" },
];

/** The words of the command; `words` themselves if they are not hidden. */
export function meantWords(words: string): string {
  return hiddenWords.find(({ word }) => word === words)?.command ?? words;
}

export function hiddenWordsOf({ words }: Pick<Command, "words">): readonly HiddenWord[] {
  return hiddenWords.filter((hidden) => hidden.command === words);
}
