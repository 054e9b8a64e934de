import type { CatalogueEntry } from "../catalogue.ts";
import type { Flag } from "../flags/flags.ts";
import { globalFlags } from "../flags/global-flags.ts";

/** The words before the one that is completed, as the program would understand them. */
export interface TypedLine {
  /** Words that lead to a command, or to several: `pools`. */
  readonly path: string;
  /** The command; undefined as long as it is not whole. */
  readonly entry: CatalogueEntry | undefined;
  readonly positionals: readonly string[];
  /** Flags that were typed, by name. */
  readonly given: ReadonlySet<string>;
  /** The flag whose value comes next. */
  readonly pending: Flag | undefined;
  /** After `--` every word is no flag. */
  readonly isAfterDashes: boolean;
}

/** Undefined where a word leads to no command: then nothing can be said of what follows. */
export function readTypedLine(
  entries: readonly CatalogueEntry[],
  words: readonly string[],
): TypedLine | undefined {
  let [path, pending, isAfterDashes]: [string, Flag | undefined, boolean] = ["", undefined, false];
  let entry: CatalogueEntry | undefined;
  const positionals: string[] = [];
  const given = new Set<string>();
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (word === "--") {
      isAfterDashes = true;
    } else if (!isAfterDashes && /^-./u.test(word)) {
      const { flag, isFollowed } = readFlag(flagsOf(entry), word);
      if (flag !== undefined) given.add(flag.name);
      pending = isFollowed ? flag : undefined;
    } else if (entry === undefined) {
      path = path === "" ? word : `${path} ${word}`;
      entry = entries.find((each) => each.words === path);
      if (entry === undefined && !entries.some((each) => each.words.startsWith(`${path} `))) return undefined;
    } else {
      positionals.push(word);
    }
  }
  return { path, entry, positionals, given, pending, isAfterDashes };
}

/** Before the command is known those that all of them share, which may stand in front of it. */
export function flagsOf(entry: CatalogueEntry | undefined): readonly Flag[] {
  return entry?.flags ?? globalFlags;
}

/** The flag that a word names, and whether its value is the next word. */
export function readFlag(
  flags: readonly Flag[],
  word: string,
): { readonly flag: Flag | undefined; readonly isFollowed: boolean } {
  if (word.startsWith("--")) {
    const [name = "", ...value] = word.slice(2).split("=");
    const flag = flags.find((each) => each.name === name);
    return { flag, isFollowed: flag?.value !== undefined && value.length === 0 };
  }
  for (let at = 1; at < word.length; at += 1) {
    const flag = flags.find(({ short }) => short === word[at]);
    // What follows a letter that takes a value is the value: `-ondjson`.
    if (flag?.value !== undefined) return { flag, isFollowed: at === word.length - 1 };
  }
  return { flag: undefined, isFollowed: false };
}
