import { type Dirent, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fixedFolder } from "./file-pattern.ts";

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

/** The parts of a time, from the one that lasts longest on, and how each is written. */
const parts: readonly (readonly [letter: string, digits: string])[] = [
  ["Y", String.raw`\d{4,}`],
  ["m", String.raw`\d{2}`],
  ["d", String.raw`\d{2}`],
  ["H", String.raw`\d{2}`],
  ["M", String.raw`\d{2}`],
];

/** More than a year of files for each hour; of more, those with the latest times in their names. */
const maxFiles = 10_000;

/**
 * The files of a pattern, whatever time is in their names: a clock that was set may have named the newest one after any
 * time. Those with the latest times come first.
 */
export function earlierFiles(pattern: string): readonly EarlierFile[] {
  const folder = fixedFolder(pattern);
  const segments = path.relative(folder, path.resolve(pattern)).split(path.sep);
  return filesBelow(folder, segments, new Map())
    .toSorted((one, other) => compareTimes(other.time, one.time))
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
type NamedTime = ReadonlyMap<string, number>;

interface NamedFile {
  readonly file: string;
  readonly time: NamedTime;
  readonly isMovedAway: boolean;
}

function filesBelow(folder: string, segments: readonly string[], before: NamedTime): readonly NamedFile[] {
  const [segment = "", ...rest] = segments;
  const isLast = rest.length === 0;
  const name = nameMatcher(segment, isLast);
  return entriesOf(folder).flatMap((entry): readonly NamedFile[] => {
    const found = name.exec(entry.name);
    if (found === null) return [];
    const { groups = {} } = found;
    const time = new Map([...before, ...timeIn(groups)]);
    const file = path.join(folder, entry.name);
    if (!isLast) return filesBelow(file, rest, time);
    return [{ file, time, isMovedAway: groups["moved"] !== undefined }];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A file has the name of a folder, or this user may not read it.
    return [];
  }
}

/** Each part of a time is a group; of one that is named twice, the first. */
function nameMatcher(segment: string, isFile: boolean): RegExp {
  const seen = new Set<string>();
  const source = segment.replaceAll(/%(.)|[^%]/gsu, (text, letter: string | undefined) => {
    const digits = parts.find(([part]) => part === letter)?.[1];
    if (letter === undefined || digits === undefined)
      return (letter ?? text).replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
    if (seen.has(letter)) return String.raw`\k<${letter}>`;
    seen.add(letter);
    return `(?<${letter}>${digits})`;
  });
  return new RegExp(`^${source}${isFile ? `(?<moved>${movedAway})?` : ""}$`, "u");
}

function timeIn(
  groups: Readonly<Record<string, string | undefined>>,
): readonly (readonly [string, number])[] {
  return parts.flatMap(([letter]) => {
    const digits = groups[letter];
    return digits === undefined ? [] : [[letter, Number(digits)] as const];
  });
}

function compareTimes(one: NamedTime, other: NamedTime): number {
  for (const [letter] of parts) {
    const difference = (one.get(letter) ?? 0) - (other.get(letter) ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
