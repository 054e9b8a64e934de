import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats, statSync } from "node:fs";
import path from "node:path";

/**
 * Returns true if the directory did not exist. Does not use `recursive`, because Node would retry forever on file
 * systems that report a new name as missing (/proc, or /home with an automounter).
 */
export function makeFolder(folder: string, mode = 0o777): boolean {
  const whole = path.resolve(folder);
  const parent = path.dirname(whole);
  if (parent !== whole && statSync(parent, { throwIfNoEntry: false }) === undefined) makeFolder(parent, mode);
  try {
    mkdirSync(whole, { mode });
    return true;
  } catch (cause) {
    if (statSync(whole, { throwIfNoEntry: false })?.isDirectory() !== true) throw cause;
    return false;
  }
}

/** Undefined if nothing has this name. Opening the file reports all other problems. */
export function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Empty if this is not a directory, or if this user cannot read it. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A dangling link counts as well. */
export function isTaken(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** In bytes; undefined if the file does not exist. */
export function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** The permission bits; undefined if nothing has this name. */
export function modeOf(file: string): number | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}

/** A file that does not exist is not an error. */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** The names of all files below a directory, relative to it and sorted. Empty if it does not exist. */
export function namesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted((one, other) => (one < other ? -1 : 1));
}
