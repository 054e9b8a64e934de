import type { CatalogueEntry } from "../catalogue.ts";
import type { Flag, FlagGroup } from "../flags/flags.ts";
import { briefRows, flagGroups, fullRows, nameList } from "./flag-rows.ts";
import type { Block } from "./page.ts";

/** `brief` fits a screen: the command's own flags, and of the others the names. `full` says everything. */
export type HelpForm = "brief" | "full";

export function commandHelp(entry: CatalogueEntry, form: HelpForm): readonly Block[] {
  const { words, positionals, summary, examples, flags, credits, plan, notes } = entry;
  const [own, shared] = [flags.slice(0, entry.ownFlags), flags.slice(entry.ownFlags)];
  const usage = ["dexdata", words, positionals, ...(flags.length === 0 ? [] : ["[flags]"])];
  const [said, unsaid] = [
    own.filter((flag) => !isMinor(flag, own)),
    own.filter((flag) => isMinor(flag, own)),
  ];
  const flagsSaid =
    form === "full"
      ? [...flagBlocks(flags, fullRows), ...notes()]
      : [...flagBlocks(said, briefRows), ...moreFlags(words, [...unsaid, ...shared])];
  return [
    { prose: summary },
    { label: "Usage", prose: usage.filter((word) => word !== "").join(" ") },
    ...(examples.length === 0 ? [] : [{ heading: "Examples", commands: examples }]),
    ...flagsSaid,
    {
      prose:
        credits === undefined ? "Nothing is sent, and nothing spent." : `Credits: ${credits}. Plan: ${plan}.`,
    },
    ...(form === "full" && shared.length > 5 ? [{ prose: topicsLine }] : []),
  ];
}

const topicsLine = "See also: dexdata help output, time, credits, streams, environment, exit-codes.";

/** A command with more flags than this has no room for those of its output. */
const many = 20;

/** Who is asked, and how, is seldom what somebody looks for; nor is a single flag of what others share. */
const minorGroups: readonly FlagGroup[] = ["Pages", "Requests", "Hosts and keys"];

function isMinor({ group }: Flag, own: readonly Flag[]): boolean {
  if (minorGroups.includes(group)) return true;
  return group === "Output" && (own.length > many || own.filter((flag) => flag.group === group).length === 1);
}

function flagBlocks(flags: readonly Flag[], toRows: typeof fullRows): readonly Block[] {
  return flagGroups(flags).map(([heading, inside]) => ({ heading, rows: toRows(inside) }));
}

function moreFlags(words: string, others: readonly Flag[]): readonly Block[] {
  if (others.length === 0) return [];
  const lists = flagGroups(others).map(([group, flags]) => [group, nameList(flags)] as const);
  return [{ heading: `More flags, told by dexdata ${words} --help`, lists }];
}
