import { type Command, meantWords } from "../../commands/command.ts";
import type { Flag, Flags } from "../../run/flags/flag.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";
import type { Context } from "../../../base/context/context.ts";

/** The words before the cursor, parsed as the program would parse them. */
type TypedLine = NonNullable<ReturnType<typeof readTypedLine>>;

/** Returns undefined if the words do not lead to a command, so there is nothing to suggest. */
export function readTypedLine(entries: readonly Command[], words: readonly string[]) {
  /** The command so far. This can be just the first word, such as `pools`. */
  let path = "";
  /** Undefined until the words name a command. */
  let entry: Command | undefined;
  /** The flag whose value is the next word. */
  let pending: Flag | undefined;
  /** After `--`, words that start with a dash are not flags. */
  let isAfterDashes = false;
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
      entry = entries.find((each) => each.words === meantWords(path));
      if (entry === undefined && !entries.some((each) => each.words.startsWith(`${path} `))) return undefined;
    } else {
      positionals.push(word);
    }
  }
  return { path, entry, positionals, given, pending, isAfterDashes };
}

/** Until the command is known, only the shared flags apply, because they can come first. */
export function flagsOf(command: Command | undefined): Flags {
  return command === undefined ? sharedFlags : { ...command.flags, ...command.shared };
}

const takesValue = (flag: Flag | undefined): flag is Flag => flag?.type.placeholder !== undefined;

/** `isFollowed` means that the next word is the value of this flag. */
export function readFlag(flags: Flags, word: string) {
  if (word.startsWith("--")) {
    const [name = "", ...value] = word.slice(2).split("=");
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    return flag === undefined
      ? { isFollowed: false }
      : { name, flag, isFollowed: takesValue(flag) && value.length === 0 };
  }
  for (let at = 1; at < word.length; at += 1) {
    const [name, flag] = Object.entries(flags).find(([, { short }]) => short === word[at]) ?? [];
    // If a letter takes a value, the rest of the word is that value, as in `-ondjson`.
    if (name !== undefined && takesValue(flag)) return { name, flag, isFollowed: at === word.length - 1 };
  }
  return { isFollowed: false };
}

export interface Completion {
  /** With `files`, the shell completes file names. */
  readonly kind: "words" | "files";
  /** The part of the word that does not change, such as `--output=` or `ethereum,`. */
  readonly prefix: string;
  /** A word that ends with `=`, `:`, `,` or `.` needs more input. */
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

export const nothing: Completion = { kind: "words", prefix: "", candidates: [] };

export const files = (prefix: string): Completion => ({ kind: "files", prefix, candidates: [] });

export const only = (candidates: readonly Candidate[]): Completion => ({ ...nothing, candidates });

export interface Asked {
  readonly context: Pick<Context, "env" | "platform">;
  readonly entries: readonly Command[];
  readonly line: Readonly<TypedLine>;
}
