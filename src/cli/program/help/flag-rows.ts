import { defaultOf, type Flag, type FlagGroup, flagGroups, type Flags } from "../../run/flags/flag.ts";
import { columnOf } from "../../print-page.ts";
import { groupBy } from "../../../base/group-by.ts";
import { formatDuration } from "../../../api/duration.ts";
import type { Block } from "../../help-page.ts";

type Row = readonly [term: string, text: string];

export const filtered = (flags: Flags, isWanted: (flag: Flag, name: string) => boolean): Flags =>
  Object.fromEntries(Object.entries(flags).filter(([name, flag]) => isWanted(flag, name)));

/** Without those that a topic describes. */
export const flagsOnPage = (flags: Flags): Flags => filtered(flags, ({ topic }) => topic === undefined);

/** In the order used in help. */
const groupedFlags = (flags: Flags): readonly (readonly [group: FlagGroup, flags: Flags])[] =>
  flagGroups
    .map((group) => [group, filtered(flags, (flag) => flag.group === group)] as const)
    .filter(([, inside]) => Object.keys(inside).length > 0);

/** Omits the choices, which completion and programs show separately. */
export function flagHelp(flag: Flag): string {
  return `${described(flag, flag.with)}${flag.details}`;
}

export function fullFlagHelp(flag: Flag): string {
  const choices = choicesIn(flag) === undefined ? flag.type.choices : undefined;
  return `${described(flag, flag.with, choices)}${flag.details}`;
}

export function fullRows(flags: Flags): readonly Row[] {
  return Object.entries(flags).map(([name, flag]) => [term(name, flag), fullFlagHelp(flag)]);
}

export const flagBlocks = (flags: Flags): readonly Block[] =>
  groupedFlags(flags).map(([heading, inside]) => ({ heading, rows: fullRows(inside) }));

/** The part of the text that names every choice, so that help does not list them again. */
export function choicesIn(flag: Flag): "summary" | "details" | undefined {
  const { choices } = flag.type;
  return (["summary", "details"] as const).find((part) => {
    const words = flag[part].split(/[^\w-]+/u);
    return choices?.every((choice) => words.includes(choice));
  });
}

/** `Sandbox only: plan to simulate`, `With --follow: stop after this long` */
function owned(summary: string, owners: readonly string[]): string {
  if (owners.length === 0) return summary;
  const names = owners.map((owner) => `--${owner}`).join(" or ");
  const condition = names === "--sandbox" ? "Sandbox only" : `With ${names}`;
  return `${condition}: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
}

/** `(default 30s)`; if the text lists the choices, it names the default there. */
function defaultText(flag: Flag, usual: string): string {
  const isNamed = usual === "" || choicesIn(flag) !== undefined;
  const text = flag.defaultSaid ?? (isNamed ? undefined : `default ${usual}`);
  return text === undefined ? "" : ` (${text})`;
}

/** The default as a user would type it; empty if there is none. */
function typedDefault(flag: Flag): string {
  const usual = defaultOf(flag);
  if (usual !== undefined && flag.type.name === "duration") return formatDuration(Number(usual));
  const items: readonly unknown[] = usual instanceof Set ? [...usual] : [usual];
  return items.join();
}

/** `Sort direction: asc, desc`; a default is marked in the list if it is one of the choices. */
function described(flag: Flag, owners: readonly string[], choices: readonly string[] = []): string {
  const usual = typedDefault(flag);
  const isListed = choices.includes(usual);
  const list = choices.map((choice) => (choice === usual ? `${choice} (default)` : choice)).join(", ");
  return `${owned(flag.summary, owners)}${isListed ? "" : defaultText(flag, usual)}${list === "" ? "" : `: ${list}`}`;
}

/** Flags that differ only by window and bound are a family: `--volume-usd-{24h,7d}-{min,max} <number>`. */
export function flagFamilies(flags: Flags): Flags[] {
  const all = groupedFlags(flags).flatMap(([, inside]) => Object.entries(inside));
  const families = groupBy(all, ([name]) => name.replace(bound, "-{}").replace(window, "-{}"));
  return [...families.values()].map((family) => Object.fromEntries(family));
}

/** One row per family, on one line if possible. `--help` shows the rest. */
export function briefRows(families: readonly Flags[]): readonly Row[] {
  const terms = families.map(familyTerm);
  const names = families.flatMap((family) => Object.keys(family));
  const column = columnOf([{ rows: terms.map((each) => [each, ""]) }], briefWidth);
  return families.map((family, index) => {
    const term = terms[index] ?? "";
    const room = briefWidth - 4 - Math.max(column, term.length);
    const texts = briefTexts(family, names);
    return [term, texts.find((text) => text.length <= room) ?? texts.at(-1) ?? ""];
  });
}

const briefWidth = 80;

function familyTerm(family: Flags): string {
  const names = Object.keys(family);
  const [[name, flag] = []] = Object.entries(family);
  if (name === undefined || flag === undefined) return "";
  if (names.length === 1) return term(name, flag);
  const shared = name
    .replace(bound, () => `-${braced(names, bound)}`)
    .replace(window, () => `-${braced(names, window)}`);
  return `--${shared}${value(flag)}`;
}

/** The longest first. */
function briefTexts(family: Flags, beside: readonly string[]): readonly string[] {
  const [flag, ...others] = Object.values(family);
  if (flag === undefined) return [];
  if (others.length > 0) return [inCommon(Object.values(family).map(({ summary }) => summary))];
  const owners = flag.with.filter((owner) => !beside.includes(owner));
  return [
    described(flag, owners, choicesIn(flag) === "summary" ? undefined : flag.type.choices),
    described(flag, owners),
    flag.summary.split(/[;:] |, e\.g\. /u)[0] ?? "",
  ];
}

const bound = /-(min|max|after|before)(?=$)/u;
const window = /-(\d+[mhd])(?=-|$)/u;

function braced(names: readonly string[], pattern: RegExp): string {
  const words = new Set(names.map((name) => pattern.exec(name)?.[1] ?? ""));
  return words.size === 1 ? [...words].join("") : `{${[...words].join(",")}}`;
}

/**
 * Words that differ are joined with a slash, such as `after/before`. The first word is dropped if it differs, because
 * the row's name contains both words: `Minimum` and `Maximum`.
 */
function inCommon(summaries: readonly string[]): string {
  const all = summaries.map((summary) => summary.split(" "));
  const [first = []] = all;
  const joined = first.map((_, at) => [...new Set(all.map((words) => words[at]))].join("/"));
  const text = (joined[0] === first[0] ? joined : joined.slice(1)).join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const term = (name: string, flag: Flag): string =>
  `${flag.short === undefined ? "" : `-${flag.short}, `}--${name}${value(flag)}`;

const value = ({ type: { placeholder } }: Flag): string =>
  placeholder === undefined ? "" : ` <${placeholder}>`;
