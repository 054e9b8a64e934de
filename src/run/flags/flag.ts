import { usageFailure } from "../../contract/failure.ts";
import type { FlagType } from "./flag-types.ts";

/** One flag, defined once: parsing, help, the man page, completion and `commands -o json` read it. */
export interface Flag<Value = unknown> {
  readonly type: FlagType<Value>;
  readonly group: FlagGroup;
  /** What it does: all that `-h` says of it. */
  readonly summary: string;
  /** What `--help` adds, with the punctuation that joins it to the summary. */
  readonly details?: string;
  /** What holds where it is not given. */
  readonly default?: string;
  /** The default in the words of help, where that is more than "default" and its value. */
  readonly defaultSaid?: string;
  /** Where every choice is told, so that help does not list them again. */
  readonly choicesIn?: "summary" | "details";
  readonly short?: string;
  /** The flag beside which it means something, for help; see `needs` for one that is checked. */
  readonly with?: string;
  /** It is refused without that flag. */
  readonly needs?: { readonly flag: string; readonly next: string };
  readonly excludes?: readonly Exclusion[];
  /** What completion offers for its value where that is no fixed set: words, or the name of a list kept on this machine. */
  readonly suggests?: readonly string[] | KeptList;
}

/** A flag that cannot stand beside another one. */
export interface Exclusion {
  readonly flag: string;
  /** Why, where `--a and --b: …` says more than that one does not go with the other. */
  readonly why?: string;
  readonly next: string;
}

/** Lists that completion reads from the disk, or from the description of the command; never from the service. */
export type KeptList = "networks" | "dexes" | "profiles" | "fields" | "parameters";

/** In the order of help. */
export const flagGroups = [
  "Filters",
  "Rows",
  "Following",
  "Sandbox",
  "Output",
  "Pages",
  "Requests",
  "Hosts and keys",
] as const;

export type FlagGroup = (typeof flagGroups)[number];

/** Flags by their names, in the order of help. */
export interface Flags {
  readonly [name: string]: Flag;
}

/** The values of these flags; undefined for those that were not given. A name that none of them has does not compile. */
export type Values<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer Value> ? Value | undefined : never;
};

/** What was typed for each flag, by its name: a text each time it was given, undefined for a switch. */
export type TypedFlags = ReadonlyMap<string, readonly (string | undefined)[]>;

/** A flag with its type kept, so that what reads its value knows what that is. */
export function flag<Value>(
  type: FlagType<Value>,
  group: FlagGroup,
  rest: Omit<Flag, "type" | "group">,
): Flag<Value> {
  return { type, group, ...rest };
}

/** Some of the flags, in the order of all. */
export function pick<F extends Flags, Name extends keyof F & string>(
  flags: F,
  ...names: readonly Name[]
): Pick<F, Name>;
export function pick(flags: Flags, ...names: readonly string[]): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => names.includes(name)));
}

/**
 * Reads what was typed for the flags of a command; the first that cannot be read, or cannot stand there, is refused. `F`
 * may name more flags than there are: their values are absent.
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
      throw usageFailure(`--${name}: goes with --${needs.flag}`, needs.next);
    const other = excludes.find((each) => typed.has(each.flag));
    if (other === undefined) continue;
    throw usageFailure(
      other.why === undefined
        ? `--${other.flag}: does not go with --${name}`
        : `--${name} and --${other.flag}: ${other.why}`,
      other.next,
    );
  }
}

/** The words that give the flags again. */
export function flagWords(typed: TypedFlags): readonly string[] {
  return [...typed].flatMap(([name, texts]) =>
    texts.flatMap((text) => (text === undefined ? [`--${name}`] : [`--${name}`, text])),
  );
}
