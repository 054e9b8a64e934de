import { type Command, usagesOf } from "../../commands/command.ts";
import type { Flag, FlagGroup, Flags } from "../../run/flags/flag.ts";
import { counted } from "../../../base/text/words.ts";
import { briefRows, filtered, flagBlocks, flagFamilies, flagsOnPage } from "./flag-rows.ts";
import { drawPage } from "../../print-page.ts";
import type { Block, HelpForm } from "../../help-page.ts";

/** `brief` fits on one screen. `full` describes every flag, except those of the sandbox. */
export function commandHelp(described: Command, form: HelpForm): readonly Block[] {
  const command = { ...described, flags: flagsOnPage(described.flags) };
  const own = withoutSandbox(command.shared);
  if (form === "full")
    return [
      ...heading(command, command.examples, form),
      ...flagBlocks({ ...command.flags, ...own }),
      ...(own === command.shared ? [] : [sandboxLine]),
      ...notesOf(command),
      { prose: `${costSentence(command)} ${exitSentence(command)}` },
      ...(Object.keys(own).length > 5 ? [{ prose: topicsLine }] : []),
    ];
  // The full help describes the flags that work only with another one.
  const main = filtered(command.flags, (flag) => flag.with.length === 0);
  const minor = filtered(main, (flag, name) => name === "prefix" || isMinor(flag, command.flags));
  const shown = flagFamilies(filtered(main, (_, name) => !(name in minor)));
  const named = flagFamilies({ ...minor, ...filtered(own, (_, name) => namedFlags.has(name)) });
  let page = briefPage(command, 2, shown, named);
  while (heightOf(page) > maxBriefLines && shown.length > 0) {
    page = briefPage(command, 1, shown, named);
    if (heightOf(page) > maxBriefLines) named.unshift(...shown.splice(leastImportant(shown), 1));
  }
  return page;
}

export const notesOf = ({ notes }: Command): readonly Block[] =>
  notes.map((note) => (typeof note === "string" ? { prose: note } : note));

/** The shared flags that short help names. */
const namedFlags: ReadonlySet<string> = new Set([
  "output",
  "fields",
  "out",
  "resume",
  "estimate",
  "max-credits",
]);

/** A terminal of 24 lines also has a prompt. */
const maxBriefLines = 23;

function briefPage(
  command: Command,
  examples: number,
  shown: readonly Flags[],
  named: readonly Flags[],
): readonly Block[] {
  const { words, flags, shared } = command;
  const rows = briefRows(shown);
  const names = briefRows(named).map(([term]) => term.replace(/ <.*$/u, "").replace(", ", "/"));
  const own = withoutSandbox(shared);
  const others = Object.keys({ ...flags, ...own }).length - [...shown, ...named].flatMap(Object.keys).length;
  if (others > 0) names.push(`${names.length === 0 ? "" : "and "}${counted(others, "other")}`);
  return [
    ...heading(command, command.examples.slice(0, examples), "brief"),
    ...(rows.length === 0 ? [] : [{ heading: "Flags", rows }]),
    ...(names.length === 0
      ? []
      : [{ label: `More flags (see dexdata ${words} --help)`, prose: names.join(" ") }]),
    ...(own === shared ? [] : [{ ...sandboxLine, isClose: true }]),
    { prose: costSentence(command), isClose: names.length > 0 },
  ];
}

function heading(command: Command, examples: readonly string[], form: HelpForm): readonly Block[] {
  const [usage = "", ...otherUsages] = usagesOf(command);
  return [
    { prose: command.summary },
    { label: "Usage", prose: usage, isClose: form === "brief" },
    ...otherUsages.map((prose) => ({ label: "   or", prose, isClose: true })),
    ...(examples.length === 0 ? [] : [{ heading: "Examples", commands: examples }]),
  ];
}

/** The index of the last family in the largest group. */
function leastImportant(families: readonly Flags[]): number {
  const groups = families.map((family) => Object.values(family)[0]?.group);
  const sizeOf = (group: FlagGroup | undefined): number => groups.filter((each) => each === group).length;
  const largest = groups.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0];
  return groups.lastIndexOf(largest);
}

const heightOf = (page: readonly Block[]): number =>
  drawPage(page, { width: 80, breaksCommands: true, paint: (text) => text }).split("\n").length - 1;

const sandboxLine: Block = {
  label: "Sandbox",
  prose: "--sandbox uses simulated data; see: dexdata help sandbox",
};

const isSandbox = ({ group }: Flag): boolean => group === "Sandbox";

/** Omits the flags that `help sandbox` describes. Returns the same object if it has none of them. */
function withoutSandbox(shared: Flags): Flags {
  return Object.values(shared).some(isSandbox) ? filtered(shared, (flag) => !isSandbox(flag)) : shared;
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
  const passed = passesExit ? ", or that of the given command" : "";
  return `Exit codes: ${listed}, or 129 to 143 after a signal${passed}.`;
}

const topicsLine =
  "See also: dexdata help <topic>; topics include output, time, credits, streams, alerts and exit-codes.";

/** If a command has more flags than this, the brief form has no room for its output flags. */
const many = 20;

/** Few users need the flags in these groups, or an output flag that is a command's only one. */
const minorGroups: readonly FlagGroup[] = ["Pages", "Requests", "Hosts and keys"];

function isMinor({ group }: Flag, own: Flags): boolean {
  if (minorGroups.includes(group)) return true;
  const [all, beside] = [Object.values(own), Object.values(own).filter((flag) => flag.group === group)];
  return group === "Output" && (all.length > many || beside.length === 1);
}
