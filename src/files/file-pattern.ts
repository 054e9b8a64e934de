import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { usageFailure } from "../contract/failure.ts";

/**
 * What may stand behind a `%` in the name of a file: the parts of a time, from the one that lasts longest on, with their
 * digits. In UTC, so that no hour is missing or comes twice a year.
 */
const parts: readonly (readonly [letter: string, digits: number, of: (date: Date) => number])[] = [
  ["Y", 4, (date) => date.getUTCFullYear()],
  ["m", 2, (date) => date.getUTCMonth() + 1],
  ["d", 2, (date) => date.getUTCDate()],
  ["H", 2, (date) => date.getUTCHours()],
  ["M", 2, (date) => date.getUTCMinutes()],
];

/** The file that an instant belongs to, in milliseconds since the epoch. */
export function fileOf(pattern: string, instant: number): string {
  const date = new Date(instant);
  return pattern.replace(/%(.?)/gsu, (_, letter: string) => {
    if (letter === "%") return letter;
    const [, digits, of] = parts.find(([part]) => part === letter) ?? [];
    if (of !== undefined) return String(of(date)).padStart(digits ?? 0, "0");
    throw usageFailure(
      `--out "${pattern}": ${letter === "" ? "a % at the end" : `%${letter}`} means nothing`,
      "%Y %m %d %H %M are parts of the time in UTC, and %% is a percent sign",
    );
  });
}

/** Whether a name has parts of the time in it, where it is that of one file. */
export function changesWithTime(file: string): boolean {
  return /%[YmdHM]/u.test(file);
}

/** The folder before the first part that changes with time: it must be there, those below are made. */
export function fixedFolder(pattern: string): string {
  const absolute = path.resolve(pattern);
  const [fixed = ""] = /^(?:[^%]|%%)*/u.exec(absolute) ?? [];
  // Whatever stands behind the last separator is a part of a name.
  return path.dirname(`${fixed}.`).replaceAll("%%", "%");
}

/** A file that an earlier run of a tail may have written, and that holds something. */
export interface EarlierFile {
  readonly file: string;
  /** Milliseconds, by the clock of the file system. */
  readonly writtenAt: number;
  /** Under a name that logrotate gave it. */
  readonly isMovedAway: boolean;
}

/** What logrotate puts behind a name: `.1`, with `dateext` `-20261121`, and perhaps what it was compressed with. */
const movedAway = String.raw`[.-]\d[\d-]*(?:\.(?:gz|bz2|xz|zst))?`;

/** Of a year that a clock can show. */
const mostDigits = 16;

/** More than a year of files for each hour; of more, those with the latest times in their names. */
const maxFiles = 10_000;

/**
 * The files of a pattern, whatever time is in their names: a clock that was set may have named the newest one after any
 * time. Those with the latest times come first.
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
      // As it was typed.
      const name = path.isAbsolute(pattern) ? file : path.relative("", file);
      return [{ file: name, writtenAt: stats.mtimeMs, isMovedAway }];
    });
}

/** The parts of a time in a name, by their letters. */
type NamedTime = Readonly<Record<string, string | undefined>>;

interface NamedFile {
  readonly file: string;
  /** Later times come later in the order of texts. */
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
    // A file has the name of a folder, or this user may not read it.
    return [];
  }
}

/** Each part of a time is a group; of one that is named twice, the first. */
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
