import type { Flag, FlagGroup } from "../flags/flags.ts";

type Row = readonly [term: string, text: string];

/** Own groups first, then those of the shared flags, as they stand in help. */
const order: readonly FlagGroup[] = [
  "Filters",
  "Rows",
  "Following",
  "Sandbox",
  "Output",
  "Pages",
  "Requests",
  "Hosts and keys",
];

/** The flags of each group, in the order of help. */
export function flagGroups(
  flags: readonly Flag[],
): readonly (readonly [group: FlagGroup, flags: readonly Flag[]])[] {
  const groups = [...new Set(flags.map(({ group }) => group))].toSorted(
    (a, b) => order.indexOf(a) - order.indexOf(b),
  );
  return groups.map((name) => [name, flags.filter(({ group }) => group === name)]);
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

/** What all of them say; a word in which they differ, in all its forms. The term says window and percentage. */
function shared(helps: readonly string[]): string {
  const all = helps.map((help) =>
    help
      .replace(/ of \d+\w/u, "")
      .replace(/ in percent$/u, "")
      .split(" "),
  );
  const [first = []] = all;
  return first.map((_, at) => [...new Set(all.map((words) => words[at]))].join("/")).join(" ");
}

const name = ({ name: long, short }: Flag): string =>
  short === undefined ? `--${long}` : `-${short}, --${long}`;

const value = (flag: Flag): string => (flag.value === undefined ? "" : ` <${flag.value}>`);

/** Some texts tell the choices themselves, with what each does. */
function said({ choices = [], help }: Flag): string {
  const isTold = choices.every((choice) => help.split(/[^\w-]+/u).includes(choice));
  return isTold ? help : `${help}: ${choices.join(", ")}`;
}
