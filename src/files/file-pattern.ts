import path from "node:path";
import { usageFailure } from "../contract/failure.ts";

/** What may stand behind a `%` in the name of a file, in UTC, so that no hour is missing or comes twice a year. */
const fields: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getUTCFullYear()).padStart(4, "0"),
  m: (date) => twoDigits(date.getUTCMonth() + 1),
  d: (date) => twoDigits(date.getUTCDate()),
  H: (date) => twoDigits(date.getUTCHours()),
  M: (date) => twoDigits(date.getUTCMinutes()),
  "%": () => "%",
};

/** The file that an instant belongs to, in milliseconds since the epoch. */
export function fileOf(pattern: string, instant: number): string {
  const date = new Date(instant);
  return pattern.replace(/%(.?)/gsu, (_, letter: string) => {
    const field = Object.hasOwn(fields, letter) ? fields[letter] : undefined;
    if (field !== undefined) return field(date);
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

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
