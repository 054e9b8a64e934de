import type { CatalogueEntry } from "../catalogue.ts";
import { groupSummaries } from "../group-summaries.ts";
import type { Section } from "../local-command.ts";
import type { Block } from "./page.ts";
import { topicNames } from "./topic-names.ts";

const sections: readonly Section[] = ["Ask", "Follow", "Set up", "Learn"];

const followed = ["txns --follow", "history of a pool and then what comes, without a hole"] as const;

/** What it is, how it is called, what can be tried at once; then all commands, a line each, on one screen. */
export function overview(entries: readonly CatalogueEntry[]): readonly Block[] {
  return [
    { prose: "DEX market data: pools, tokens, prices, trades and candles on some 35 networks" },
    { label: "Usage", prose: "dexdata <command> [flags]; -h says more, --help everything", isClose: true },
    {
      label: "Try",
      prose: "dexdata pools search ethereum --sandbox (no key, offline, free)",
      isClose: true,
    },
    ...sections.map((heading) => ({
      heading,
      rows: [
        ...commandRows(entries.filter(({ section }) => section === heading)),
        ...(heading === "Follow" ? [followed] : []),
      ],
    })),
  ];
}

/** The commands behind a word that only leads to them. */
export function groupHelp(word: string, entries: readonly CatalogueEntry[]): readonly Block[] {
  const inside = entries.filter(({ words }) => words.startsWith(`${word} `));
  return [
    { prose: groupSummaries[word] ?? "" },
    { label: "Usage", prose: `dexdata ${word} <command> [flags]` },
    {
      heading: "Commands",
      rows: inside.map(({ words, positionals, summary }) => [`${words} ${positionals}`.trim(), summary]),
    },
    { heading: "Examples", commands: inside.flatMap(({ examples }) => examples.slice(0, 1)) },
  ];
}

/**
 * Commands that share their first word are one line, with their second words behind what they are about; `help` has its
 * topics there.
 */
function commandRows(entries: readonly CatalogueEntry[]): readonly (readonly [string, string])[] {
  const rows = new Map<string, readonly [string, string]>();
  for (const { words, summary } of entries) {
    const [first = "", second] = words.split(" ");
    const siblings = entries.filter((other) => other.words.startsWith(`${first} `));
    if (words === "help") rows.set(words, [words, `a command or topic: ${topicNames.join(", ")}`]);
    else if (second === undefined || siblings.length === 1) rows.set(words, [words, summary]);
    else {
      const names = siblings.map((other) => other.words.slice(first.length + 1)).join(", ");
      rows.set(first, [first, `${groupSummaries[first] ?? ""}: ${names}`]);
    }
  }
  return [...rows.values()];
}
