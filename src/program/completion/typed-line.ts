import type { Command } from "../../commands/command.ts";
import type { Flag, Flags } from "../../run/flags/flag.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";
import type { Context } from "../../context/context.ts";

/** The words before the one that is completed, as the program would understand them. */
export interface TypedLine {
  /** Words that lead to a command, or to several: `pools`. */
  readonly path: string;
  /** The command; undefined as long as it is not whole. */
  readonly entry: Command | undefined;
  readonly positionals: readonly string[];
  /** Flags that were typed, by name. */
  readonly given: ReadonlySet<string>;
  /** The flag whose value comes next. */
  readonly pending: Flag | undefined;
  /** After `--` every word is no flag. */
  readonly isAfterDashes: boolean;
}

/** Undefined where a word leads to no command: then nothing can be said of what follows. */
export function readTypedLine(entries: readonly Command[], words: readonly string[]): TypedLine | undefined {
  let [path, pending, isAfterDashes]: [string, Flag | undefined, boolean] = ["", undefined, false];
  let entry: Command | undefined;
  const positionals: string[] = [];
  const given = new Set<string>();
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (word === "--") {
      isAfterDashes = true;
    } else if (!isAfterDashes && /^-./u.test(word)) {
      const { name, flag, isFollowed } = readFlag(flagsOf(entry), word);
      if (name !== undefined) given.add(name);
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
export function flagsOf(command: Command | undefined): Flags {
  return command === undefined ? sharedFlags : { ...command.flags, ...command.shared };
}

interface ReadFlag {
  readonly name?: string;
  readonly flag?: Flag;
  /** Whether its value is the next word. */
  readonly isFollowed: boolean;
}

const takesValue = (flag: Flag | undefined): flag is Flag => flag?.type.placeholder !== undefined;

/** The flag that a word names. */
export function readFlag(flags: Flags, word: string): ReadFlag {
  if (word.startsWith("--")) {
    const [name = "", ...value] = word.slice(2).split("=");
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    return flag === undefined
      ? { isFollowed: false }
      : { name, flag, isFollowed: takesValue(flag) && value.length === 0 };
  }
  for (let at = 1; at < word.length; at += 1) {
    const [name, flag] = Object.entries(flags).find(([, { short }]) => short === word[at]) ?? [];
    // What follows a letter that takes a value is the value: `-ondjson`.
    if (name !== undefined && takesValue(flag)) return { name, flag, isFollowed: at === word.length - 1 };
  }
  return { isFollowed: false };
}

/** What may be typed where the cursor stands. */
export interface Completion {
  /** `files`: what the shell itself knows. */
  readonly kind: "words" | "files";
  /** The part of the word under the cursor that stays as it is: `--output=`, `ethereum,`. */
  readonly prefix: string;
  /** What may follow the prefix; after one that ends in `=`, `:`, `,` or `.` more is to be typed. */
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

export const nothing: Completion = { kind: "words", prefix: "", candidates: [] };

export const files = (prefix: string): Completion => ({ kind: "files", prefix, candidates: [] });

export const only = (candidates: readonly Candidate[]): Completion => ({ ...nothing, candidates });

/** What the completion of a word is read from. */
export interface Asked {
  readonly context: Pick<Context, "env" | "platform">;
  readonly entries: readonly Command[];
  readonly line: TypedLine;
}
