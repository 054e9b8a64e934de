import { hash } from "node:crypto";
import path from "node:path";
import { invalidInput } from "../failure.ts";
import { parseRfc3339 } from "../time/time.ts";
import { nearest } from "../text/nearest.ts";
import { lookAt, namesIn } from "./paths.ts";

/** Values of the fields in braces that are not times. */
export type PathNames = Partial<Readonly<Record<string, string>>>;

/** The fields for the time of a row, which consist of the sequences below. */
const timeFields: PathNames = {
  year: "%Y",
  month: "%Y-%m",
  date: "%Y-%m-%d",
  "date-hour": "%Y-%m-%dT%H",
};

/**
 * Rejects a path with an unknown field, or with one that the rows cannot have. `names` are the fields that they have in
 * addition to the times.
 */
export function checkFields(pattern: string, names: readonly string[], hasTimes = true): void {
  const label = `--out "${pattern}"`;
  const known = [...names, ...(hasTimes ? Object.keys(timeFields) : [])];
  const usable = known.length === 0 ? "name one file" : `use ${known.map((name) => `{${name}}`).join(" ")}`;
  const accepted = `${usable}; for a brace, write {{ or }}`;
  const fields = pattern.match(braces) ?? [];
  for (const field of fields) {
    if (field.length === 1) throw invalidInput(label, `unpaired ${field}`, accepted);
    const name = field.slice(1, -1);
    if (field === "{{" || field === "}}" || known.includes(name)) continue;
    const near = nearest(name, known);
    const hint = near === undefined ? accepted : `did you mean {${near}}?`;
    throw invalidInput(label, `the rows have no field ${field}`, hint);
  }
  if (fields.length > 0 && pattern.includes("%"))
    throw invalidInput(label, "must not combine { } with %", accepted);
  if (!hasTimes && changesWithTime(pattern))
    throw invalidInput(label, "the rows have no time, so the name must not have one", accepted);
}

export function fieldsIn(pattern: string): readonly string[] {
  const names = (pattern.match(braces) ?? []).map((field) => field.slice(1, -1));
  return names.filter((name) => name !== "" && timeFields[name] === undefined);
}

/** In milliseconds, from RFC 3339 or Unix seconds. Times that `Date` cannot represent are not readable. */
export function readTime(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? parseRfc3339(value)?.seconds : value;
  return typeof seconds === "number" && seconds >= 0 && seconds < 253_402_300_800
    ? seconds * 1000
    : undefined;
}

const braces = /\{\{|\}\}|\{[^{}]*\}|[{}]/gu;

/** In patterns of files of all names. */
const anyName = "%*";

/** Replaces the fields in braces, so that only `%` sequences are left. */
export function fillFields(pattern: string, names: PathNames | "any"): string {
  return pattern.replace(braces, (text) => {
    const field = text.slice(1, -1);
    if (field === "") return text.slice(1);
    if (names === "any") return timeFields[field] ?? anyName;
    return timeFields[field] ?? encodeName(names[field] ?? "").replaceAll("%", "%%");
  });
}

/** Names that have a special meaning as a complete file name, or that Windows changes or reserves. */
const special = /^(?:\.|(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))/iu;
/** In bytes. Three such names fit into one file name. */
const [longestValue, keptOfLong] = [80, 40];

export function percentEncoded(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
    "",
  );
}

/**
 * The names come from other people, so no character in them can leave the directory. All except letters, digits, `.`,
 * `_` and `-` are percent-encoded, and a long name is shortened and gets its hash.
 */
function encodeName(name: string): string {
  if (name === "") return "unknown";
  // The case of these addresses is only a checksum, and one pool should not have two files.
  const plain = /^0x[\da-f]+$/iu.test(name) ? name.toLowerCase() : name;
  let encoded = plain.replaceAll(/[^\w.-]/gu, percentEncoded).replace(/\.$/u, percentEncoded);
  if (special.test(encoded)) encoded = percentEncoded(encoded.slice(0, 1)) + encoded.slice(1);
  if (encoded.length <= longestValue) return encoded;
  return `${encoded.slice(0, keptOfLong).replace(/%.?$/u, "")}~${hash("sha256", plain).slice(0, 32)}`;
}

/**
 * The letters after a `%` in a file name, each with its digit count.
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
export function fileOf(pattern: string, time: number, names: PathNames = {}): string {
  const date = new Date(time);
  return fillFields(pattern, names).replace(/%(.?)/gsu, (_, letter: string) => {
    if (letter === "%") return letter;
    const [, digits, of] = parts.find(([part]) => part === letter) ?? [];
    if (of !== undefined) return String(of(date)).padStart(digits ?? 0, "0");
    throw invalidInput(
      `--out "${pattern}"`,
      letter === "" ? "must not end with %" : `unknown sequence %${letter}`,
      "use {year} {month} {date} {date-hour} for the UTC time of a row",
    );
  });
}

export function hasFields(file: string): boolean {
  return /%[YmdHM]|[{}]/u.test(file);
}

/** `pattern` has no fields in braces. */
export function changesWithTime(pattern: string): boolean {
  return /%[YmdHM]/u.test(pattern);
}

/** Whether the path depends on more than the time. */
export function hasNames(pattern: string): boolean {
  return fieldsIn(pattern).length > 0;
}

/** The directory before the first part that changes must exist; directories below it are created. */
export function fixedFolder(pattern: string): string {
  const absolute = path.resolve(pattern);
  const [fixed = ""] = /^(?:[^%{}]|%%|\{\{|\}\})*/u.exec(absolute) ?? [];
  // The text after the last separator is part of a file name.
  return path.dirname(`${fixed}.`).replaceAll(/%%|\{\{|\}\}/gu, (pair) => pair.slice(1));
}

/** A pattern below `folder` as the name of one file in it. */
export function flatName(folder: string, pattern: string): string {
  return path.relative(folder, path.resolve(pattern)).replaceAll(path.sep, "_");
}

/** logrotate adds `.1`, or `-20261121` with `dateext`, and possibly a compression suffix. */
const movedAway = String.raw`[.-]\d[\d-]*(?:\.(?:gz|bz2|xz|zst))?`;

/** A non-empty file that an earlier run may have written. */
interface EarlierFile {
  readonly file: string;
  /** In milliseconds, according to the file system clock. */
  readonly writtenAt: number;
}

/** Those that were written last come first. A wrong clock may have named them, so their names do not count. */
export function earlierFiles(fields: string): readonly EarlierFile[] {
  const pattern = fillFields(fields, "any");
  const folder = fixedFolder(pattern);
  const files = filesBelow(folder, path.relative(folder, path.resolve(pattern)).split(path.sep));
  const found = files.flatMap((file): readonly EarlierFile[] => {
    const stats = lookAt(file);
    if (stats?.isFile() !== true || stats.size === 0) return [];
    // The result is relative if the pattern is relative.
    const name = path.isAbsolute(pattern) ? file : path.relative("", file);
    return [{ file: name, writtenAt: stats.mtimeMs }];
  });
  return found.toSorted((one, other) => other.writtenAt - one.writtenAt);
}

function filesBelow(folder: string, [segment = "", ...rest]: readonly string[]): readonly string[] {
  const isLast = rest.length === 0;
  const matcher = nameMatcher(segment, isLast);
  const files = namesIn(folder).flatMap((name) => (matcher.test(name) ? path.join(folder, name) : []));
  return isLast ? files : files.flatMap((file) => filesBelow(file, rest));
}

/** Whether rows of any time would go to this file, before or after it was moved. Compares true names. */
export function mayName(pattern: string, file: string, trueName: (file: string) => string): boolean {
  // The names that fill such a pattern are unknown until the rows arrive.
  if (!hasFields(pattern) || hasNames(pattern)) return false;
  const folder = fixedFolder(pattern);
  const below = path.relative(folder, path.resolve(fillFields(pattern, {}))).split(path.sep);
  const names = path.relative(path.dirname(trueName(path.join(folder, "x"))), trueName(file)).split(path.sep);
  const matches = (segment: string, index: number): boolean =>
    nameMatcher(segment, index === below.length - 1).test(names[index] ?? "");
  return names.length === below.length && below.every(matches);
}

function nameMatcher(segment: string, isFile: boolean): RegExp {
  const source = segment.replaceAll(/%(.)|[^%]/gsu, (text, letter: string | undefined) => {
    if (text === anyName) return ".+";
    const part = parts.find(([each]) => each === letter);
    if (part === undefined) return (letter ?? text).replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
    return letter === "Y" ? String.raw`\d{4,}` : String.raw`\d{2}`;
  });
  return new RegExp(`^${source}${isFile ? `(?:${movedAway})?` : ""}$`, "u");
}
