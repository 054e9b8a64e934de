import { type Command, type Section, usageOf } from "../../commands/command.ts";
import type { Clock, Context } from "../../../base/context/context.ts";
import type { Block } from "../../help-page.ts";

/** Not next to the topics, so that completion does not have to load those. */
export const topicNames = [
  "exit-codes",
  "time",
  "output",
  "terminal",
  "pulls",
  "credits",
  "keys",
  "environment",
  "proxies",
  "follow",
  "streams",
  "alerts",
  "limits",
  "agents",
] as const;

export type TopicName = (typeof topicNames)[number];

/** The machine's directories and clock. */
export interface TopicContext extends Pick<Context, "env" | "platform"> {
  readonly clock: Pick<Clock, "now">;
}

/** For words that only group commands. */
export const groupSummaries: Readonly<Record<string, string>> = {
  tokens: "Search tokens",
  pools: "Search pools",
  name: "Name tokens and pools",
  auth: "Manage API keys",
  config: "Manage settings",
};

const followRow = ["txns --follow", "Print a pool's new transactions as they arrive"] as const;

/** The page that `dexdata` shows without arguments. It fits on a screen, so only commands for data have a line each. */
export function overview(entries: readonly Command[]): readonly Block[] {
  const inside = (name: Section): readonly Command[] => entries.filter(({ section }) => section === name);
  const rows = (name: Section) => inside(name).map(({ words, summary }) => [words, summary] as const);
  const names = (name: Section): string =>
    [...new Set(inside(name).map(({ words }) => words.split(" ")[0]))].join(", ");
  return [
    { prose: "DEX market data on dozens of networks: pools, tokens, prices, trades and candles" },
    {
      label: "Usage",
      prose: "dexdata <command> [flags]; short help: <command> -h; all flags: --help",
      isClose: true,
    },
    {
      label: "Try",
      prose: "dexdata pools search ethereum --sandbox (no key, offline, free)",
      isClose: true,
    },
    { heading: "Market data", rows: rows("Market data") },
    { heading: "Live data and files", isClose: true, rows: [followRow, ...rows("Live data and files")] },
    { label: "Setup", prose: names("Setup") },
    { label: "Reference", prose: names("Reference"), isClose: true },
    { label: "Topics (dexdata help <topic>)", prose: topicNames.join(", "), isClose: true },
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
