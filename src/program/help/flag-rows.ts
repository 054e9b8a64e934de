import { type Flag, type FlagGroup, flagGroups, type Flags } from "../../run/flags/flag.ts";

type Row = readonly [term: string, text: string];

/** Groups flags in the order used in help. */
export function groupedFlags(flags: Flags): readonly (readonly [group: FlagGroup, flags: Flags])[] {
  return flagGroups.flatMap((group) => {
    const inside = Object.entries(flags).filter(([, flag]) => flag.group === group);
    return inside.length === 0 ? [] : [[group, Object.fromEntries(inside)] as const];
  });
}

/** Returns the full text of a flag without its choices. */
export function flagHelp(flag: Flag): string {
  return `${flag.summary}${conditionsOf(flag, flag.with)}${flag.details ?? ""}`;
}

/** Formats the conditions of a flag, such as `(default 1; with --sandbox)`. */
function conditionsOf({ default: usual, defaultSaid }: Flag, owner: string | undefined): string {
  const said = defaultSaid ?? (usual === undefined ? undefined : `default ${usual}`);
  const all = [said, owner === undefined ? undefined : `with --${owner}`].filter(
    (each) => each !== undefined,
  );
  return all.length === 0 ? "" : ` (${all.join("; ")})`;
}

/** Returns a row with the full text for every flag. */
export function fullRows(flags: Flags): readonly Row[] {
  return Object.entries(flags).map(([name, flag]) => [
    `${dashed(name, flag)}${value(flag)}`,
    withChoices(flagHelp(flag), flag.choicesIn === undefined ? flag.type.choices : undefined),
  ]);
}

/**
 * Returns shorter rows. Flags that differ only in their window or bound share a row, such as
 * `--volume-usd-{24h,7d}-{min,max} <number>`.
 */
export function briefRows(flags: Flags): readonly Row[] {
  const families = new Map<string, [string, Flag][]>();
  for (const [name, flag] of Object.entries(flags)) {
    const family = name.replace(bound, "-{}").replace(window, "-{}");
    families.set(family, [...(families.get(family) ?? []), [name, flag]]);
  }
  return [...families.values()].flatMap((family): Row[] => {
    const [first] = family;
    if (first === undefined) return [];
    const [name, flag] = first;
    if (family.length === 1) return [[`${dashed(name, flag)}${value(flag)}`, briefHelp(flag, flags)]];
    const names = family.map(([each]) => each);
    const term = name
      .replace(bound, () => `-${braced(names, bound)}`)
      .replace(window, () => `-${braced(names, window)}`);
    return [[`--${term}${value(flag)}`, inCommon(family.map(([, { summary }]) => summary))]];
  });
}

/** Returns the most important part of the text, on one line if possible. `--help` shows the rest. */
function briefHelp(flag: Flag, beside: Flags): string {
  const isBesideIt = flag.with !== undefined && flag.with in beside;
  const choices = flag.choicesIn === "summary" ? undefined : fewerChoices(flag);
  return withChoices(`${flag.summary}${conditionsOf(flag, isBesideIt ? undefined : flag.with)}`, choices);
}

/** Shortens `volume_usd_24h, volume_usd_7d` to `volume_usd_{24h,7d}`. */
function fewerChoices({ type: { choices } }: Flag): readonly string[] | undefined {
  if (choices === undefined) return undefined;
  const families = new Map<string, string[]>();
  for (const choice of choices) {
    const [, stem = choice, last = ""] = /^(.*)_(\d+[mhd])$/u.exec(choice) ?? [];
    families.set(stem, [...(families.get(stem) ?? []), last]);
  }
  return [...families].map(([stem, windows]) => {
    if (windows.length > 1) return `${stem}_{${windows.join(",")}}`;
    return windows[0] === "" ? stem : `${stem}_${windows[0]}`;
  });
}

/** Lists the names of flags, for a line that points to the full text. */
export function nameList(flags: Flags): string {
  return Object.entries(flags)
    .map(([name, flag]) => dashed(name, flag).replace(", ", "/"))
    .join(" ");
}

const bound = /-(min|max|after|before)(?=$)/u;
const window = /-(\d+[mhd])(?=-|$)/u;

function braced(names: readonly string[], pattern: RegExp): string {
  const words = new Set(names.map((name) => pattern.exec(name)?.[1] ?? ""));
  return words.size === 1 ? [...words].join("") : `{${[...words].join(",")}}`;
}

/** Merges several summaries into one. Words that differ are joined with a slash, such as `after/before`. */
function inCommon(summaries: readonly string[]): string {
  const all = summaries.map((summary) => summary.split(" "));
  const [first = []] = all;
  return first.map((_, at) => [...new Set(all.map((words) => words[at]))].join("/")).join(" ");
}

const dashed = (name: string, { short }: Flag): string =>
  short === undefined ? `--${name}` : `-${short}, --${name}`;

const value = ({ type: { placeholder } }: Flag): string =>
  placeholder === undefined ? "" : ` <${placeholder}>`;

const withChoices = (help: string, choices: readonly string[] | undefined): string =>
  choices === undefined ? help : `${help}: ${choices.join(", ")}`;
