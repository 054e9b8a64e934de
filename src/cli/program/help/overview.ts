import { type Command, sections, usageOf } from "../../commands/command.ts";
import type { Block } from "../../render/page/help-page.ts";
import { topicNames } from "./topic-names.ts";

/** For words that only group commands. */
export const groupSummaries: Readonly<Record<string, string>> = {
  tokens: "Search tokens",
  pools: "Search pools",
  name: "Name tokens and pools",
  auth: "Manage API keys",
  config: "Manage settings",
};

const followRow = ["txns --follow", "Print a pool's transactions, then new ones as they arrive"] as const;

/** The page that `dexdata` shows without arguments. */
export function overview(entries: readonly Command[]): readonly Block[] {
  return [
    { prose: "DEX market data on 35 networks: pools, tokens, prices, trades and candles" },
    {
      label: "Usage",
      prose: "dexdata <command> [flags]; <command> -h is short, --help shows all flags",
      isClose: true,
    },
    {
      label: "Try",
      prose: "dexdata pools search ethereum --sandbox (no key, offline, free)",
      isClose: true,
    },
    ...sections.map((heading) => ({
      heading,
      rows: [
        ...commandRows(entries.filter(({ section }) => section === heading)),
        ...(heading === "Live data" ? [followRow] : []),
      ],
    })),
  ];
}

/** Returns the help for a word such as `auth` or `config`, which only groups commands. */
export function groupHelp(word: string, entries: readonly Command[]): readonly Block[] {
  const inside = entries.filter(({ words }) => words.startsWith(`${word} `));
  return [
    { prose: groupSummaries[word] ?? "" },
    { label: "Usage", prose: `dexdata ${word} <command> [flags]` },
    {
      heading: "Commands",
      rows: inside.map((command) => [usageOf(command), command.summary]),
    },
    { heading: "Examples", commands: inside.flatMap(({ examples }) => examples.slice(0, 1)) },
  ];
}

/** Commands with the same first word share a row. The `help` row lists its topics. */
function commandRows(entries: readonly Command[]): readonly (readonly [string, string])[] {
  const rows = new Map<string, readonly [string, string]>();
  for (const { words, summary } of entries) {
    const [first = "", second] = words.split(" ");
    const siblings = entries.filter((other) => other.words.startsWith(`${first} `));
    if (words === "help") rows.set(words, [words, `${summary}: ${topicNames.join(", ")}`]);
    else if (second === undefined || siblings.length === 1) rows.set(words, [words, summary]);
    else {
      const names = siblings.map((other) => other.words.slice(first.length + 1)).join(", ");
      rows.set(first, [first, `${groupSummaries[first] ?? ""}: ${names}`]);
    }
  }
  return [...rows.values()];
}
