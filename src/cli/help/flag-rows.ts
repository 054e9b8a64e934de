import type { Flag } from "../flags/flags.ts";
import type { Block } from "./page.ts";

type Row = readonly [term: string, text: string];

/** Own groups first, then those of the shared flags, as they stand in help. */
const order: readonly string[] = [
  "Filters",
  "Rows",
  "Following",
  "Sandbox",
  "Output",
  "Requests",
  "Hosts and keys",
];

/** A block for each group of flags. */
export function flagBlocks(
  flags: readonly Flag[],
  toRows: (flags: readonly Flag[]) => readonly Row[],
): Block[] {
  const groups = [...new Set(flags.map(({ group }) => group))].toSorted(
    (a, b) => order.indexOf(a) - order.indexOf(b),
  );
  return groups.map((heading) => ({ heading, rows: toRows(flags.filter(({ group }) => group === heading)) }));
}

/** Every flag with all that is said of it. */
export function fullRows(flags: readonly Flag[]): readonly Row[] {
  return flags.map((flag) => [`${name(flag)}${value(flag)}`, said(flag)]);
}

/** Flags that differ by a window and a bound only are one row: `--volume-usd-{24h,7d}-{min,max} <number>`. */
export function briefRows(flags: readonly Flag[]): readonly Row[] {
  const families = new Map<string, Flag[]>();
  for (const flag of flags) {
    const family = flag.name.replace(bound, "-{}").replace(window, "-{}");
    families.set(family, [...(families.get(family) ?? []), flag]);
  }
  return [...families.values()].map((family): Row => {
    const [first] = family;
    if (first === undefined || family.length === 1)
      return fullRows(family.map((flag) => withFewerChoices(withFewerWords(flag, flags))))[0] ?? ["", ""];
    const term = first.name
      .replace(bound, () => `-${braced(family, bound)}`)
      .replace(window, () => `-${braced(family, window)}`);
    return [`--${term}${value(first)}`, shared(family.map(({ help }) => help.replace(/, at \w+$/u, "")))];
  });
}

const shortEnough = 40;

/** What matters most, on one line where that can be: `--help` has the rest. */
function withFewerWords(flag: Flag, group: readonly Flag[]): Flag {
  const [, condition, rest = ""] = /^with --([\w-]+): (.*)$/u.exec(flag.help) ?? [];
  const isBesideIt = group.some(({ name: other }) => other === condition);
  const help = isBesideIt ? rest : flag.help;
  if (help.length <= shortEnough) return { ...flag, help };
  const [sentence = help] = help.split(/; | \((?!default)/u);
  if (sentence.length <= shortEnough || sentence.includes("(default")) return { ...flag, help: sentence };
  return { ...flag, help: sentence.split(": ")[0] ?? sentence };
}

/** `volume_usd_24h, volume_usd_7d` → `volume_usd_{24h,7d}`. */
function withFewerChoices(flag: Flag): Flag {
  if (flag.choices === undefined) return flag;
  const families = new Map<string, string[]>();
  for (const choice of flag.choices) {
    const [, stem = choice, last = ""] = /^(.*)_(\d+[mhd])$/u.exec(choice) ?? [];
    families.set(stem, [...(families.get(stem) ?? []), last]);
  }
  const choices = [...families].map(([stem, windows]) => {
    if (windows.length > 1) return `${stem}_{${windows.join(",")}}`;
    return windows[0] === "" ? stem : `${stem}_${windows[0]}`;
  });
  return { ...flag, choices };
}

/** The names alone, for a line that leads to where more is said. */
export function nameList(flags: readonly Flag[]): string {
  return flags.map((flag) => name(flag).replace(", ", "/")).join(" ");
}

const bound = /-(min|max|after|before)(?=$)/u;
const window = /-(\d+[mhd])(?=-|$)/u;

function braced(family: readonly Flag[], pattern: RegExp): string {
  const words = new Set(family.map((flag) => pattern.exec(flag.name)?.[1] ?? ""));
  return words.size === 1 ? [...words].join("") : `{${[...words].join(",")}}`;
}

/** The words that all begin with, those that all end with, and a single word between them in all its forms. */
function shared(helps: readonly string[]): string {
  const all = [...new Set(helps)].map((help) => help.split(" "));
  const [first = []] = all;
  const isShared = (each: number): boolean => all.every((other) => other.at(each) === first.at(each));
  let [head, tail] = [0, 0];
  while (head < first.length && isShared(head)) head += 1;
  while (tail < first.length - head && isShared(-1 - tail)) tail += 1;
  const isOneWord = all.every((other) => other.length === head + 1 + tail);
  const between = isOneWord ? [[...new Set(all.map((other) => other[head]))].join("/")] : [];
  const begin = first.slice(0, head);
  // What followed "of" is gone.
  if (!isOneWord && head < first.length && begin.at(-1) === "of") begin.pop();
  return [...begin, ...between, ...first.slice(first.length - tail)].join(" ");
}

const name = ({ name: long, short }: Flag): string =>
  short === undefined ? `--${long}` : `-${short}, --${long}`;

const value = (flag: Flag): string => (flag.value === undefined ? "" : ` <${flag.value}>`);

/** The formats are told by the text itself, with when each is the default. */
function said({ choices, help, name: long }: Flag): string {
  return choices === undefined || long === "output" ? help : `${help}: ${choices.join(", ")}`;
}
