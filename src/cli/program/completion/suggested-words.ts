import type { Flag } from "../../run/flags/flag.ts";
import { type Asked, type Candidate, type Completion, files, nothing, only } from "./typed-line.ts";
import { flagHelp } from "../help/flag-rows.ts";
import { findEndpoint } from "../../../api/endpoints/find-endpoint.ts";
import type { Field, RecordShape } from "../../../api/record.ts";
import type { Command } from "../../commands/command.ts";
import type { Context } from "../../../base/context/context.ts";
import { NETWORK_ROWS } from "../../../sandbox/well-known.ts";
import { readCredentials } from "../../settings/credentials.ts";
import { type CachedRows, listEnding, readNewestList } from "../../settings/list-cache.ts";

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
  if (!flag.type.isList) return { ...wordsOf(asked, flag, current.slice(attached.length)), prefix: attached };
  const comma = current.lastIndexOf(",");
  const prefix = comma < 0 ? attached : current.slice(0, comma + 1);
  const taken = new Set(prefix.slice(attached.length).split(","));
  const { candidates } = wordsOf(asked, flag, current.slice(prefix.length));
  return { kind: "words", prefix, candidates: candidates.filter(({ word }) => !taken.has(word)) };
}

function wordsOf({ context, line }: Asked, { type: { choices }, suggests }: Flag, typed: string): Completion {
  const fixed = choices ?? (typeof suggests === "object" ? suggests : undefined);
  if (fixed !== undefined) return only(fixed.map((word) => ({ word })));
  if (suggests === undefined || typeof suggests === "object") return nothing;
  switch (suggests) {
    case "networks":
      return only(knownNetworks(context));
    case "dexes":
      return only(knownDexes(context, line.positionals[0]?.split(":")[0] ?? ""));
    case "profiles":
      return only(storedProfiles(context));
    case "fields":
      return only(fieldWords(line.entry, typed));
    case "parameters":
      return only(parameterWords(line.positionals[0]));
  }
}

/** After a record's name and a dot, suggests that record's fields. */
export function fieldWords(entry: Command | undefined, typed: string): readonly Candidate[] {
  const names = new Set<string>();
  const before = typed.split(".").slice(0, -1);
  for (const { rows } of entry?.endpoints ?? []) {
    for (const { record, added } of Object.values(rows)) {
      const inner = innerRecord({ ...record, ...added?.record }, before);
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

function innerRecord(record: RecordShape, path: readonly string[]): RecordShape {
  const [name, ...rest] = path;
  if (name === undefined) return record;
  const type = Object.hasOwn(record, name) ? record[name]?.type : undefined;
  if (type?.kind === "record") return innerRecord(type.record, rest);
  if (type?.kind === "list" && /^\d+$/u.test(rest[0] ?? "")) return innerRecord(type.record, rest.slice(1));
  return {};
}

/** Wire names, such as `order_by=`. */
export function parameterWords(path: string | undefined): readonly Candidate[] {
  const [route = ""] = (path ?? "").split("?");
  const segments = route.split("/").filter((each) => each !== "");
  const params = findEndpoint(segments)?.endpoint.params ?? [];
  return params
    .filter(({ place }) => place === "query")
    .map(({ name, help }) => ({ word: `${name}=`, description: help }));
}

type Surroundings = Pick<Context, "env" | "platform">;

/** Uses the last list that the service sent to this machine, or else the sandbox's. */
export function knownNetworks(context: Surroundings): readonly Candidate[] {
  const kept = typable(readNewestList(context, listEnding("networks", undefined)));
  return kept.length > 0
    ? kept
    : NETWORK_ROWS.map(({ id, displayName }) => ({ word: id, description: displayName }));
}

/** Empty if this machine has no list for the network. */
export function knownDexes(context: Surroundings, network: string): readonly Candidate[] {
  return network === "" ? [] : typable(readNewestList(context, listEnding("dexes", network)));
}

/** Returns only names, never keys. */
export function storedProfiles(context: Surroundings): readonly Candidate[] {
  const { profiles } = readCredentials(context);
  return typable([...profiles].map(([name, { tier }]) => [name, tier]));
}

/** The shell inserts words without quotes, and text from the service must not become a command. */
function typable(rows: CachedRows): readonly Candidate[] {
  return rows
    .map(([word = "", description = ""]) => ({ word, description }))
    .filter(({ word }) => /^[\w.][\w.+-]*$/u.test(word));
}
