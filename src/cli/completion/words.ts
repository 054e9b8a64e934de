import type { CatalogueEntry } from "../catalogue.ts";
import type { Flag } from "../flags/flags.ts";
import { groupSummaries } from "../group-summaries.ts";

export const takesFile = (flag: Flag): boolean => flag.value === "file";

/** The words that may follow `prefix`: the next word of each command that begins with it. */
export function nextWords(entries: readonly CatalogueEntry[], prefix: string): readonly CatalogueEntry[] {
  const seen = new Map<string, CatalogueEntry>();
  for (const entry of entries) {
    if (prefix !== "" && !entry.words.startsWith(`${prefix} `)) continue;
    const word = entry.words.slice(prefix === "" ? 0 : prefix.length + 1).split(" ")[0] ?? "";
    const isGroup = entry.words.replace(`${prefix} `, "") !== word;
    if (!seen.has(word))
      seen.set(word, { ...entry, words: word, ...(isGroup && { summary: groupSummaries[word] ?? "" }) });
  }
  return [...seen.values()];
}

/** First words of the commands that have two. */
export function prefixes(entries: readonly CatalogueEntry[]): readonly string[] {
  return [
    ...new Set(entries.flatMap(({ words }) => (words.includes(" ") ? [words.split(" ")[0] ?? ""] : []))),
  ];
}
