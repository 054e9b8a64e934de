import { type Command, meantWords, type Positional, type PositionalSuggestion } from "../commands/command.ts";
import { knownRecords } from "../commands/schema/known-records.ts";
import type { Flag, Flags, KeptList } from "../run/flags/flag.ts";
import { sharedFlags } from "../run/flags/shared-flags.ts";
import { flagHelp } from "./help/flag-rows.ts";
import { groupSummaries, topicNames } from "./help/overview.ts";
import { textFormats } from "../../api/output-format.ts";
import { fieldAt, type Field } from "../../api/record.ts";
import type { Context } from "../../base/context/context.ts";
import { colorModes, settings } from "../../client/settings.ts";
import { NETWORK_ROWS } from "../../sandbox/well-known.ts";
import { nameOf } from "../../client/subject.ts";
import { readAllNames } from "../run/asset-names.ts";
import { readCredentials } from "../settings/credentials.ts";
import { type CachedRows, listEnding, readNewestList } from "../settings/list-cache.ts";

export interface Completion {
  /** With `files`, the shell completes file names. */
  readonly kind: "words" | "files";
  /** The part of the word that does not change, such as `--output=` or `ethereum,`. */
  readonly prefix: string;
  /** A word that ends with `:`, `,` or `.` needs more input. */
  readonly candidates: readonly Candidate[];
}

interface Candidate {
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

/** Also suggests `--help`. */
export function flagWords({ entry, given, path }: Asked["line"]): readonly Candidate[] {
  const flags = Object.entries(entry === undefined ? {} : { ...entry.flags, ...entry.shared }).filter(
    ([name, { type }]) => type.isRepeatable || !given.has(name),
  );
  const ours: Candidate[] = flags.map(([name, flag]) => ({ word: `--${name}`, description: flagHelp(flag) }));
  ours.push({ word: "--help", description: "examples, flags and cost" });
  return path === "" ? [...ours, { word: "--version", description: "print the version" }] : ours;
}

/** `attached` is the part of the word that does not change, such as `--output=`. */
export function valueWords(asked: Asked, flag: Flag, attached: string, current: string): Completion {
  if (flag.type.name === "file") return files(attached);
  const suggests = flag.type.choices ?? flag.suggests ?? (flag.type.name === "address" ? "names" : undefined);
  if (!flag.type.isList)
    return { ...suggested(asked, suggests, current.slice(attached.length)), prefix: attached };
  const comma = current.lastIndexOf(",");
  const prefix = comma < 0 ? attached : current.slice(0, comma + 1);
  const taken = new Set(prefix.slice(attached.length).split(","));
  const { candidates } = suggested(asked, suggests, current.slice(prefix.length));
  return { kind: "words", prefix, candidates: candidates.filter(({ word }) => !taken.has(word)) };
}

/** `current` is the word that is completed, or the item of a list. */
function suggested(
  { context, line }: Asked,
  suggests: readonly string[] | KeptList | PositionalSuggestion | undefined,
  current: string,
): Completion {
  switch (suggests) {
    case "files":
    case "command line":
      return files("");
    case "networks":
      return current.includes(":") ? nothing : only(knownNetworks(context));
    case "dexes":
      return only(knownDexes(context, line.positionals[0]?.split(":")[0] ?? ""));
    case "profiles":
      return only(storedProfiles(context));
    case "names":
      return only(ownNames(context, line));
    case "fields":
      return only(fieldWords(line.entry, current));
    case "settings":
    case "setting values":
      return only(settingWords(context, line));
    case "records":
      return only(knownRecords().map(({ name }) => ({ word: name })));
    // These depend on more than the word.
    case "addresses":
    case "commands":
    case "commands and topics":
    case undefined:
      return nothing;
    default:
      return only(suggests.map((word) => ({ word })));
  }
}

export function positionalWords(asked: Asked, command: Command, current: string): Completion {
  const { entries, line } = asked;
  const { positionals: before } = line;
  const [first, last] = [command.positionals[0], command.positionals.at(-1)];
  // These arguments form a command name, which can have several words.
  if (first?.suggests === "commands and topics" || first?.suggests === "commands") {
    const topics = first.suggests === "commands" || before.length > 0 ? [] : topicNames;
    return only([...commandWords(entries, before.join(" ")), ...topics.map((word) => ({ word }))]);
  }
  const positional = command.positionals[before.length] ?? (last?.isRepeatable === true ? last : undefined);
  const isBeforeDashes = positional?.suggests === "command line" && !line.isAfterDashes;
  if (positional === undefined || isBeforeDashes) return line.isAfterDashes ? nothing : only(flagWords(line));
  // A list names its networks itself, so it can also be in the place of the network.
  if (last?.isList === true && positional.suggests !== "files" && current.startsWith("@")) return files("@");
  if (positional.suggests === "addresses") return only(atAddress(asked, positional, current));
  const completion = suggested(asked, positional.suggests, current);
  // In the place of the network, a name stands for both.
  return last?.suggests === "addresses" && positional.suggests === "networks"
    ? only([...ownNames(asked.context, line), ...completion.candidates])
    : completion;
}

/** An address cannot be suggested, but its name can, and the prefix `ethereum:` if the network is not a separate argument. */
function atAddress({ context, line }: Asked, { name }: Positional, current: string): readonly Candidate[] {
  if (current.includes(":")) return [];
  const names = ownNames(context, line);
  const [first] = line.positionals;
  const isPair = first === undefined ? name.startsWith("network:") : !isNetwork(context, first);
  if (!isPair) return names;
  return [...names, ...knownNetworks(context).map(({ word, ...rest }) => ({ word: `${word}:`, ...rest }))];
}

function settingWords(
  context: Surroundings,
  { entry, positionals: [name] }: Asked["line"],
): readonly Candidate[] {
  if (name === undefined) {
    return Object.values(settings)
      .filter((setting) => setting.only !== "environment" || entry?.words === "config get")
      .map((setting) => ({ word: setting.name, description: setting.help }));
  }
  if (name === "profile") return storedProfiles(context);
  const choices = { output: textFormats, color: colorModes, rpm: ["unlimited"] };
  return Object.entries(choices).flatMap(([setting, values]) =>
    setting === name ? values.map((word) => ({ word })) : [],
  );
}

/** The words that can follow `path` in a command's name. */
export function commandWords(entries: readonly Command[], path: string): readonly Candidate[] {
  const start = path === "" ? "" : `${path} `;
  const found = new Map<string, Candidate>();
  for (const { words, summary } of entries) {
    if (!words.startsWith(start)) continue;
    const [word = "", ...more] = words.slice(start.length).split(" ");
    const description = more.length === 0 ? summary : (groupSummaries[word] ?? "");
    if (!found.has(word)) found.set(word, { word, description });
  }
  return [...found.values()];
}

/** After a record's name and a dot, suggests that record's fields. */
function fieldWords(entry: Command | undefined, typed: string): readonly Candidate[] {
  const names = new Set<string>();
  const before = typed.split(".").slice(0, -1);
  for (const { rows } of entry?.endpoints ?? []) {
    for (const { record, added } of Object.values(rows)) {
      const all = { ...record, ...added?.record };
      const type = fieldAt(all, before)?.type;
      const inner = before.length === 0 ? all : type?.kind === "record" ? type.record : {};
      for (const [name, field] of Object.entries(inner))
        names.add([...before, name + opening(field)].join("."));
    }
  }
  return [...names].map((word) => ({ word }));
}

/** Candidates such as `24h.` and `tokens.0.` end with a dot to show that they contain more fields. */
function opening({ type: { kind } }: Field): string {
  return kind === "record" ? "." : kind === "list" ? ".0." : "";
}

type Surroundings = Pick<Context, "env" | "platform">;

/** Uses the last list that the service sent to this machine, or else the sandbox's. */
function knownNetworks(context: Surroundings): readonly Candidate[] {
  const kept = typable(readNewestList(context, listEnding("networks", undefined)));
  return kept.length > 0
    ? kept
    : NETWORK_ROWS.map(({ id, displayName }) => ({ word: id, description: displayName }));
}

const isNetwork = (context: Surroundings, word: string): boolean =>
  knownNetworks(context).some((network) => network.word === word);

/** After a network, only the names of its assets. The base URL, which decides whose names count, is not known here. */
function ownNames(context: Surroundings, { positionals: [first = ""] }: Asked["line"]): readonly Candidate[] {
  const names = [...readAllNames(context)];
  const fitting = isNetwork(context, first) ? names.filter(([, { network }]) => network === first) : names;
  return typable(fitting.map(([name, asset]) => [name, nameOf(asset)]));
}

/** Empty if this machine has no list for the network. */
function knownDexes(context: Surroundings, network: string): readonly Candidate[] {
  return network === "" ? [] : typable(readNewestList(context, listEnding("dexes", network)));
}

/** Returns only names, never keys. */
function storedProfiles(context: Surroundings): readonly Candidate[] {
  const { profiles } = readCredentials(context);
  return typable([...profiles].map(([name, { tier }]) => [name, tier]));
}

/** The shell inserts words without quotes, and text from the service must not become a command. */
function typable(rows: CachedRows): readonly Candidate[] {
  return rows
    .map(([word = "", description = ""]) => ({ word, description }))
    .filter(({ word }) => /^[\w.][\w.+-]*$/u.test(word));
}
