/** One flag, said once: help, parsing and completions read this. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** Placeholder of its value; undefined for a switch. */
  readonly value?: string;
  readonly help: string;
  readonly group: FlagGroup;
  /** The accepted words, where the set is fixed. */
  readonly choices?: readonly string[];
  /** What completion offers for its value where that is no fixed set: words, or the name of a list kept on this machine. */
  readonly suggests?: readonly string[] | KeptList;
  /** Its value is several of what is suggested, with commas between. */
  readonly isList?: true;
  /** May be given several times; every value counts. */
  readonly isRepeatable?: true;
}

/** Lists that completion reads from the disk, or from the description of the command; never from the service. */
export type KeptList = "networks" | "dexes" | "profiles" | "fields" | "parameters";

export type FlagGroup =
  | "Filters"
  | "Rows"
  | "Following"
  | "Output"
  | "Pages"
  | "Requests"
  | "Hosts and keys"
  | "Sandbox";

/** What was typed for each flag: a text, or true for a switch; `verbose` counts, and some have several texts. */
export type FlagValues = Readonly<Record<string, FlagValue | undefined>>;

type FlagValue = string | boolean | number | readonly string[];

/** The words that say the flag again. */
export function flagWords(name: string, value: FlagValue): readonly string[] {
  const texts = typeof value === "string" ? [value] : value;
  return typeof texts === "object" ? texts.flatMap((text) => [`--${name}`, text]) : [`--${name}`];
}
