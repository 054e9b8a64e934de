import { usageFailure } from "../../../base/failure.ts";
import type { Setting } from "../../../client/settings.ts";
import type { FlagType } from "./flag-types.ts";

/** Parsing, help, the man page, completion and `commands -o json` all use this definition. */
export interface Flag<Value = unknown> {
  readonly type: FlagType<Value>;
  readonly group: FlagGroup;
  /** `-h` shows only this text. */
  readonly summary: string;
  /** Text that `--help` adds to the summary. It starts with the punctuation that joins the two. */
  readonly details: string;
  /** The value if the flag is not typed. */
  readonly default?: Value;
  /** Its value applies if the flag is not typed, so the default is the setting's. */
  readonly setting: Setting<Value | undefined> | undefined;
  /** The default of an API parameter. The flag itself has no value if it is not typed. */
  readonly paramDefault: string | number | undefined;
  /** What help says about the default if it depends on the run or is not a value. */
  readonly defaultSaid: string | undefined;
  readonly short: string | undefined;
  /**
   * The flags that this one belongs to in help, one of which is enough; by default, those that it needs. The program checks
   * only `needs`.
   */
  readonly with: readonly string[];
  /** The flag that must also be set, or its alternative, with a hint for when both are missing. */
  readonly needs: { readonly flag: string; readonly or?: string; readonly next: string } | undefined;
  readonly excludes: readonly Exclusion[];
  /** The help topic that describes it, instead of the help of each command. */
  readonly topic: string | undefined;
  /** What completion suggests if the type has no choices. */
  readonly suggests: readonly string[] | KeptList | undefined;
}

export interface Exclusion {
  readonly flag: string;
  /** The reason, if the message needs it. */
  readonly why?: string;
  /** Both flags set the same value, so the message favors neither. */
  readonly isMutual?: true;
  readonly next: string;
}

/** Completion reads these lists from disk or from a command's description, but never from the service. */
export type KeptList = "networks" | "dexes" | "names" | "profiles" | "fields";

/** In the order used in help. */
export const flagGroups = [
  "Filters",
  "Candles",
  "Prices at a time",
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

/** In the order used in help. */
export interface Flags {
  readonly [name: string]: Flag;
}

/** Undefined for flags that are not typed and have no default. Reading an undeclared flag does not compile. */
export type Values<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer Value>
    ? F[Name] extends HasDefault<Value>
      ? Value
      : Value | undefined
    : never;
};

interface HasDefault<Value> {
  readonly default: Value;
}

/** Flags that only some commands have. In the others, not even the default applies. */
export type OfSomeCommands<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer Value> ? Flag<Value> : never;
};

/** Keyed by name. A repeated flag has several values, and a boolean flag's value is undefined. */
export type TypedFlags = ReadonlyMap<string, readonly (string | undefined)[]>;

type Rest<Value> = Pick<Flag, "summary"> &
  Partial<Omit<Flag<Value>, "type" | "group" | "summary" | "default">>;

const unset = {
  details: "",
  setting: undefined,
  paramDefault: undefined,
  defaultSaid: undefined,
  short: undefined,
  needs: undefined,
  excludes: [],
  topic: undefined,
  suggests: undefined,
};

/** Preserves the type of the value, and whether there is a default. */
export function flag<Value>(
  type: FlagType<Value>,
  group: FlagGroup,
  rest: NoInfer<Rest<Value> & { readonly default?: never }>,
): Flag<Value>;
export function flag<Value>(
  type: FlagType<Value>,
  group: FlagGroup,
  rest: NoInfer<Omit<Rest<Value>, "setting" | "defaultSaid"> & HasDefault<Value>>,
): Flag<Value> & HasDefault<Value>;
export function flag(type: FlagType<unknown>, group: FlagGroup, rest: Rest<unknown>): Flag {
  return { type, group, ...unset, with: flagsIn(rest.needs), ...rest };
}

const flagsIn = (needs: Flag["needs"]): readonly string[] =>
  needs === undefined ? [] : [needs.flag, needs.or ?? []].flat();

/** What applies if the flag is not typed and nothing is set; undefined if that depends on the run. */
export function defaultOf({ default: usual, setting, paramDefault }: Flag): unknown {
  return usual ?? setting?.fallback ?? paramDefault;
}

/** Keeps the original order. */
export function pick<F extends Flags, Name extends keyof F & string>(
  flags: F,
  ...names: readonly Name[]
): Pick<F, Name>;
export function pick(flags: Flags, ...names: readonly string[]): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => names.includes(name)));
}

/**
 * A flag that is not typed has its default. Rejects the first flag that has an invalid value, has two different values
 * or cannot be combined with another. `F` can include flags that the command does not have if they are `OfSomeCommands`.
 */
export function readValues<F extends Flags>(flags: Flags, typed: TypedFlags): Values<F>;
export function readValues(flags: Flags, typed: TypedFlags): object {
  const values = Object.entries(flags).map(([name, { type, default: usual }]) => {
    const texts = typed.get(name);
    if (texts === undefined) return [name, usual] as const;
    refuseSecondValue(name, type, texts);
    return [name, type.read(name, texts)] as const;
  });
  refuseForeign(flags, typed);
  return Object.fromEntries(values);
}

/** Only one of the values could be used, and the result would look like the result for both. */
function refuseSecondValue(
  name: string,
  { name: kind, placeholder, isRepeatable, isList }: FlagType<unknown>,
  texts: readonly (string | undefined)[],
): void {
  if (placeholder === undefined || isRepeatable) return;
  const [first = "", second] = new Set(texts);
  if (second === undefined) return;
  throw usageFailure(
    `--${name} has two different values: "${first}" and "${second}"`,
    isList || kind === "list" ? "separate the values with a comma" : "use only one of them",
  );
}

function refuseForeign(flags: Flags, typed: TypedFlags): void {
  for (const [name, { needs, excludes }] of Object.entries(flags)) {
    if (!typed.has(name)) continue;
    if (needs !== undefined && !flagsIn(needs).some((each) => typed.has(each)))
      throw usageFailure(`--${name} requires --${flagsIn(needs).join(" or --")}`, needs.next);
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

export function flagWords(typed: TypedFlags): readonly string[] {
  return [...typed].flatMap(([name, texts]) =>
    texts.flatMap((text) => (text === undefined ? [`--${name}`] : [`--${name}`, text])),
  );
}
