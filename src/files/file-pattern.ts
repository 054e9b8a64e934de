import { statSync } from "node:fs";
import path from "node:path";
import { invalidInput } from "../contract/failure.ts";
import { namesIn } from "./paths.ts";

/**
 * The letters after a `%` in a file name, from the longest to the shortest unit of time, each with its digit count.
 * Times are in UTC, because daylight saving time would skip one hour a year and repeat another.
 */
const parts: readonly (readonly [letter: string, digits: number, of: (date: Date) => number])[] = [
  ["Y", 4, (date) => date.getUTCFullYear()],
  ["m", 2, (date) => date.getUTCMonth() + 1],
  ["d", 2, (date) => date.getUTCDate()],
  ["H", 2, (date) => date.getUTCHours()],
  ["M", 2, (date) => date.getUTCMinutes()],
];

/** `time` is in milliseconds since the epoch. */
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

export function changesWithTime(file: string): boolean {
  return /%[YmdHM]/u.test(file);
}

/** The directory before the first part that changes must exist; directories below it are created. */
export function fixedFolder(pattern: string): string {
  const absolute = path.resolve(pattern);
  const [fixed = ""] = /^(?:[^%]|%%)*/u.exec(absolute) ?? [];
  // The text after the last separator is part of a file name.
  return path.dirname(`${fixed}.`).replaceAll("%%", "%");
}

/** A non-empty file that an earlier stream may have written. */
export interface EarlierFile {
  readonly file: string;
  /** In milliseconds, according to the file system clock. */
  readonly writtenAt: number;
  /** Whether logrotate has renamed the file. */
  readonly isMovedAway: boolean;
}

/** logrotate adds `.1`, or `-20261121` with `dateext`, and possibly a compression suffix. */
const movedAway = String.raw`[.-]\d[\d-]*(?:\.(?:gz|bz2|xz|zst))?`;

/** The most digits in any year that the clock can represent. */
const mostDigits = 16;

/** More than an hourly pattern creates in a year. Beyond that, only the latest names are read. */
const maxFiles = 10_000;

/** Ignores the times in the names, because a wrong clock may have named the newest file. Latest files come first. */
export function earlierFiles(pattern: string): readonly EarlierFile[] {
  const folder = fixedFolder(pattern);
  const segments = path.relative(folder, path.resolve(pattern)).split(path.sep);
  return filesBelow(folder, segments, {})
    .toSorted((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0))
    .slice(0, maxFiles)
    .flatMap(({ file, isMovedAway }) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats?.isFile() !== true || stats.size === 0) return [];
      // The result is relative if the pattern is relative.
      const name = path.isAbsolute(pattern) ? file : path.relative("", file);
      return [{ file: name, writtenAt: stats.mtimeMs, isMovedAway }];
    });
}

/** Maps each letter to its digits. */
type NamedTime = Readonly<Record<string, string | undefined>>;

interface NamedFile {
  readonly file: string;
  /** Sorting these strings puts the files in chronological order. */
  readonly time: string;
  readonly isMovedAway: boolean;
}

function filesBelow(folder: string, segments: readonly string[], before: NamedTime): readonly NamedFile[] {
  const [segment = "", ...rest] = segments;
  const isLast = rest.length === 0;
  const name = nameMatcher(segment, isLast);
  return namesIn(folder).flatMap((entry): readonly NamedFile[] => {
    const found = name.exec(entry);
    if (found === null) return [];
    const groups: NamedTime = { ...before, ...found.groups };
    const file = path.join(folder, entry);
    if (!isLast) return filesBelow(file, rest, groups);
    const time = parts.map(([letter]) => (groups[letter] ?? "").padStart(mostDigits, "0")).join("");
    return [{ file, time, isMovedAway: groups["moved"] !== undefined }];
  });
}

/** A repeated part of the time must match its first occurrence. */
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
