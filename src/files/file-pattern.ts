import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { invalidInput } from "../contract/failure.ts";

/**
 * The letters that can follow a `%` in a file name: the parts of a time from longest to shortest, with their digits. They
 * are in UTC, so that no hour is missing or repeated once a year.
 */
const parts: readonly (readonly [letter: string, digits: number, of: (date: Date) => number])[] = [
  ["Y", 4, (date) => date.getUTCFullYear()],
  ["m", 2, (date) => date.getUTCMonth() + 1],
  ["d", 2, (date) => date.getUTCDate()],
  ["H", 2, (date) => date.getUTCHours()],
  ["M", 2, (date) => date.getUTCMinutes()],
];

/** The file for this time, in milliseconds since the epoch. */
export function fileOf(pattern: string, time: number): string {
  const date = new Date(time);
  return pattern.replace(/%(.?)/gsu, (_, letter: string) => {
    if (letter === "%") return letter;
    const [, digits, of] = parts.find(([part]) => part === letter) ?? [];
    if (of !== undefined) return String(of(date)).padStart(digits ?? 0, "0");
    throw invalidInput(
      `--out "${pattern}"`,
      letter === "" ? "must not end with %" : `unknown sequence %${letter}`,
      "use %Y %m %d %H %M for the UTC time, and %% for a percent sign",
    );
  });
}

/** Whether a file name contains parts of the time. */
export function changesWithTime(file: string): boolean {
  return /%[YmdHM]/u.test(file);
}

/** The directory before the first part that changes with time. It must exist; those below it are created. */
export function fixedFolder(pattern: string): string {
  const absolute = path.resolve(pattern);
  const [fixed = ""] = /^(?:[^%]|%%)*/u.exec(absolute) ?? [];
  // The text after the last separator is part of a name.
  return path.dirname(`${fixed}.`).replaceAll("%%", "%");
}

/** A file, not empty, that an earlier run of a stream may have written. */
export interface EarlierFile {
  readonly file: string;
  /** Milliseconds, by the clock of the file system. */
  readonly writtenAt: number;
  /** logrotate has renamed it. */
  readonly isMovedAway: boolean;
}

/** The suffix that logrotate adds: `.1`, or `-20261121` with `dateext`, and perhaps a compression format. */
const movedAway = String.raw`[.-]\d[\d-]*(?:\.(?:gz|bz2|xz|zst))?`;

/** The longest year that a clock can show. */
const mostDigits = 16;

/** More than a year of hourly files. If there are more, those with the latest times in their names count. */
const maxFiles = 10_000;

/**
 * The files of a pattern with any time in their names: a wrong clock may have given the newest file any time. Those with
 * the latest times come first.
 */
export function earlierFiles(pattern: string): readonly EarlierFile[] {
  const folder = fixedFolder(pattern);
  const segments = path.relative(folder, path.resolve(pattern)).split(path.sep);
  return filesBelow(folder, segments, {})
    .toSorted((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0))
    .slice(0, maxFiles)
    .flatMap(({ file, isMovedAway }) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats?.isFile() !== true || stats.size === 0) return [];
      // Relative if the pattern was typed so.
      const name = path.isAbsolute(pattern) ? file : path.relative("", file);
      return [{ file: name, writtenAt: stats.mtimeMs, isMovedAway }];
    });
}

/** The parts of a time in a name, by their letters. */
type NamedTime = Readonly<Record<string, string | undefined>>;

interface NamedFile {
  readonly file: string;
  /** Sorts as text in the order of time. */
  readonly time: string;
  readonly isMovedAway: boolean;
}

function filesBelow(folder: string, segments: readonly string[], before: NamedTime): readonly NamedFile[] {
  const [segment = "", ...rest] = segments;
  const isLast = rest.length === 0;
  const name = nameMatcher(segment, isLast);
  return entriesOf(folder).flatMap((entry): readonly NamedFile[] => {
    const found = name.exec(entry);
    if (found === null) return [];
    const groups: NamedTime = { ...before, ...found.groups };
    const file = path.join(folder, entry);
    if (!isLast) return filesBelow(file, rest, groups);
    const time = parts.map(([letter]) => (groups[letter] ?? "").padStart(mostDigits, "0")).join("");
    return [{ file, time, isMovedAway: groups["moved"] !== undefined }];
  });
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A file has the name of a directory, or this user cannot read it.
    return [];
  }
}

/** Each part of a time is a group; a repeated part must match the first. */
function nameMatcher(segment: string, isFile: boolean): RegExp {
  const seen = new Set<string>();
  const source = segment.replaceAll(/%(.)|[^%]/gsu, (text, letter: string | undefined) => {
    const part = parts.find(([each]) => each === letter);
    if (letter === undefined || part === undefined)
      return (letter ?? text).replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
    if (seen.has(letter)) return String.raw`\k<${letter}>`;
    seen.add(letter);
    return `(?<${letter}>${letter === "Y" ? String.raw`\d{4,}` : String.raw`\d{2}`})`;
  });
  return new RegExp(`^${source}${isFile ? `(?<moved>${movedAway})?` : ""}$`, "u");
}
