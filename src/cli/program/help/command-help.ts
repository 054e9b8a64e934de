import { type Command, usagesOf } from "../../commands/command.ts";
import type { Flag, FlagGroup, Flags } from "../../run/flags/flag.ts";
import { briefRows, flagBlocks, groupedFlags, nameList } from "./flag-rows.ts";
import type { Block } from "../../render/page/help-page.ts";

/** `brief` fits on one screen and only names the shared flags. `full` describes everything. */
export type HelpForm = "brief" | "full";

export function commandHelp(command: Command, form: HelpForm): readonly Block[] {
  const { words, summary, examples, flags: own, shared, notes = [] } = command;
  const [usage = "", ...otherUsages] = usagesOf(command);
  const minor = filtered(own, (flag) => isMinor(flag, own));
  const flagParts =
    form === "full"
      ? [...flagBlocks({ ...own, ...shared }), ...notes]
      : [
          ...mainFlags(filtered(own, (_, name) => !(name in minor))),
          ...moreFlags(words, { ...minor, ...shared }),
        ];
  return [
    { prose: summary },
    { label: "Usage", prose: usage, isClose: form === "brief" },
    ...otherUsages.map((prose) => ({ label: "   or", prose, isClose: true })),
    ...(examples.length === 0
      ? []
      : [
          { heading: "Examples", commands: form === "full" ? examples : examples.slice(0, maxBriefExamples) },
        ]),
    ...flagParts,
    { prose: form === "full" ? `${costSentence(command)} ${exitSentence(command)}` : costSentence(command) },
    ...(form === "full" && Object.keys(shared).length > 5 ? [{ prose: topicsLine }] : []),
  ];
}

export function costSentence({ credits, plan }: Command): string {
  return credits === undefined
    ? "This command sends no requests and costs no credits."
    : `Cost: ${credits.full}. Plan: ${plan.full}.`;
}

/** For example, `Exit codes: 0, 1, 2, 8, or 129 to 143 after a signal.` */
export function exitSentence({ exits: declared, passesExit }: Command): string {
  const own = declared.filter((exit) => exit < 128).toSorted((a, b) => a - b);
  const isRange = own.length > 3 && own.length - 1 === own.at(-1);
  const listed = isRange ? `0 to ${own.length - 1}` : own.join(", ");
  const passed = passesExit === true ? ", or that of the given command" : "";
  return `Exit codes: ${listed}, or 129 to 143 after a signal${passed}.`;
}

const filtered = (flags: Flags, isWanted: (flag: Flag, name: string) => boolean): Flags =>
  Object.fromEntries(Object.entries(flags).filter(([name, flag]) => isWanted(flag, name)));

const maxBriefExamples = 2;

const topicsLine =
  "See also: dexdata help <topic>, where <topic> is output, time, credits, streams, environment or exit-codes.";

/** If a command has more flags than this, the brief form has no room for its output flags. */
const many = 20;

/** Few users need the flags in these groups, or an output flag that is a command's only one. */
const minorGroups: readonly FlagGroup[] = ["Pages", "Requests", "Hosts and keys"];

function isMinor({ group }: Flag, own: Flags): boolean {
  if (minorGroups.includes(group)) return true;
  const [all, beside] = [Object.values(own), Object.values(own).filter((flag) => flag.group === group)];
  return group === "Output" && (all.length > many || beside.length === 1);
}

function mainFlags(flags: Flags): readonly Block[] {
  const rows = groupedFlags(flags).flatMap(([, inside]) => briefRows(inside));
  return rows.length === 0 ? [] : [{ heading: "Flags", rows }];
}

function moreFlags(words: string, others: Flags): readonly Block[] {
  const names = groupedFlags(others).map(([, flags]) => nameList(flags));
  return names.length === 0
    ? []
    : [{ label: `More flags (see dexdata ${words} --help)`, prose: names.join(" ") }];
}
