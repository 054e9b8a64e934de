import type { Flag } from "../flags/flags.ts";
import { type Asked, type Candidate, type Completion, files, nothing, only } from "./completion.ts";
import { fieldWords, parameterWords } from "./described-words.ts";
import { knownDexes, knownNetworks, storedProfiles } from "./kept-words.ts";

/** The flags that may still be typed, and `--help`. */
export function flagWords({ entry, given, path }: Asked["line"]): readonly Candidate[] {
  const flags = (entry?.flags ?? []).filter(
    ({ name, isRepeatable }) => isRepeatable === true || !given.has(name),
  );
  const ours: Candidate[] = flags.map(({ name, help }) => ({ word: `--${name}`, description: help }));
  ours.push({ word: "--help", description: "examples, flags and cost" });
  return path === "" ? [...ours, { word: "--version", description: "print the version" }] : ours;
}

/** Values of a flag, after the part of the word that stays as it is (`--output=`). */
export function valueWords(asked: Asked, flag: Flag, attached: string, current: string): Completion {
  if (flag.value === "file") return files(attached);
  if (flag.isList !== true)
    return { ...wordsOf(asked, flag, current.slice(attached.length)), prefix: attached };
  const comma = current.lastIndexOf(",");
  const prefix = comma < 0 ? attached : current.slice(0, comma + 1);
  const taken = new Set(prefix.slice(attached.length).split(","));
  const { candidates } = wordsOf(asked, flag, current.slice(prefix.length));
  return { kind: "words", prefix, candidates: candidates.filter(({ word }) => !taken.has(word)) };
}

function wordsOf({ context, line }: Asked, { choices, suggests }: Flag, typed: string): Completion {
  const fixed = choices ?? (typeof suggests === "object" ? suggests : undefined);
  if (fixed !== undefined) return only(fixed.map((word) => ({ word })));
  if (suggests === undefined || typeof suggests === "object") return nothing;
  switch (suggests) {
    case "networks":
      return only(knownNetworks(context));
    case "dexes":
      return only(knownDexes(context, networkOf(line)));
    case "profiles":
      return only(storedProfiles(context));
    case "fields":
      return only(fieldWords(line.entry, typed));
    case "parameters":
      return only(parameterWords(line.positionals[0]));
  }
}

/** The network that was typed, also as `network:address`. */
function networkOf({ positionals: [first = ""] }: Asked["line"]): string {
  return first.split(":")[0] ?? "";
}
