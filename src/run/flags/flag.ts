import { usageFailure } from "../../contract/failure.ts";
import type { FlagType } from "./flag-types.ts";

/** One flag, defined once: parsing, help, the man page, completion and `commands -o json` read it. */
export interface Flag<Value = unknown> {
  readonly type: FlagType<Value>;
  readonly group: FlagGroup;
  /** What the flag does; `-h` shows nothing else. */
  readonly summary: string;
  /** What `--help` adds, with the punctuation that joins it to the summary. */
  readonly details?: string;
  /** The value in use if the flag is not given. */
  readonly default?: string;
  /** The default as help prints it, where that differs from "default" and the value. */
  readonly defaultSaid?: string;
  /** Where the text lists all choices, so that help does not repeat them. */
  readonly choicesIn?: "summary" | "details";
  readonly short?: string;
  /** The flags it belongs to, for help only; `needs` is checked. */
  readonly with?: string | readonly string[];
  /** The flag is rejected without this one. */
  readonly needs?: { readonly flag: string; readonly next: string };
  readonly excludes?: readonly Exclusion[];
  /** What completion suggests, where the type has no choices: words, or a stored list. */
  readonly suggests?: readonly string[] | KeptList;
}

/** A flag that cannot be combined with another one. */
export interface Exclusion {
  readonly flag: string;
  /** The reason, if the message needs one. */
  readonly why?: string;
  /** Both flags set the same thing, so neither comes first. */
  readonly isMutual?: true;
  readonly next: string;
}

/** Lists that completion reads from disk or from the description of a command, never from the service. */
export type KeptList = "networks" | "dexes" | "profiles" | "fields" | "parameters";

/** In the order of help. */
export const flagGroups = [
  "Filters",
  "Candles",
  "Feed",
  "Parameters",
  "Rows",
  "Following",
  "Sandbox",
  "Output",
  "Pages",
  "Requests",
  "Hosts and keys",
] as const;

export type FlagGroup = (typeof flagGroups)[number];

/** Flags by name, in the order of help. */
export interface Flags {
  readonly [name: string]: Flag;
}

/** The parsed values; undefined for flags that were not given. Reading an undeclared name does not compile. */
export type Values<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer Value> ? Value | undefined : never;
};

/** The texts of each flag by name, one for each time it was given; undefined for a boolean flag. */
export type TypedFlags = ReadonlyMap<string, readonly (string | undefined)[]>;

/** Keeps the type of the flag, so that its value has one too. */
export function flag<Value>(
  type: FlagType<Value>,
  group: FlagGroup,
  rest: Omit<Flag, "type" | "group">,
): Flag<Value> {
  return { type, group, ...rest };
}

/** Returns some of the flags, in their original order. */
export function pick<F extends Flags, Name extends keyof F & string>(
  flags: F,
  ...names: readonly Name[]
): Pick<F, Name>;
export function pick(flags: Flags, ...names: readonly string[]): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => names.includes(name)));
}

/**
 * Parses the flags of a command, and rejects the first one that cannot be parsed or combined. `F` may name flags that
 * the command does not have: their values are undefined.
 */
export function readValues<F extends Flags>(flags: Flags, typed: TypedFlags): Values<F>;
export function readValues(flags: Flags, typed: TypedFlags): object {
  const values = Object.entries(flags).map(([name, { type }]) => {
    const texts = typed.get(name);
    return [name, texts === undefined ? undefined : type.read(name, texts)] as const;
  });
  refuseForeign(flags, typed);
  return Object.fromEntries(values);
}

function refuseForeign(flags: Flags, typed: TypedFlags): void {
  for (const [name, { needs, excludes = [] }] of Object.entries(flags)) {
    if (!typed.has(name)) continue;
    if (needs !== undefined && !typed.has(needs.flag))
      throw usageFailure(`--${name} requires --${needs.flag}`, needs.next);
    const other = excludes.find((each) => typed.has(each.flag));
    if (other === undefined) continue;
    throw usageFailure(conflict(name, other), other.next);
  }
}

function conflict(name: string, { flag: other, why, isMutual }: Exclusion): string {
  if (isMutual === true) return `--${name} and --${other} cannot be used together`;
  return why === undefined
    ? `--${other} cannot be used with --${name}`
    : `--${name} cannot be used with --${other}: ${why}`;
}

/** The arguments that give the same flags again. */
export function flagWords(typed: TypedFlags): readonly string[] {
  return [...typed].flatMap(([name, texts]) =>
    texts.flatMap((text) => (text === undefined ? [`--${name}`] : [`--${name}`, text])),
  );
}
