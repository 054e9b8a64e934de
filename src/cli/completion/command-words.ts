import type { CatalogueEntry } from "../catalogue.ts";
import { groupSummaries } from "../group-summaries.ts";
import { topicNames } from "../help/topic-names.ts";
import type { Candidate } from "./completion.ts";

/** The words that may follow `path` on the way to a command. */
export function commandWords(entries: readonly CatalogueEntry[], path: string): readonly Candidate[] {
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

/** The same after `help`, which explains some topics beside. */
export function helpWords(
  entries: readonly CatalogueEntry[],
  before: readonly string[],
): readonly Candidate[] {
  const topics = before.length === 0 ? topicNames : [];
  return [...commandWords(entries, before.join(" ")), ...topics.map((word) => ({ word }))];
}
