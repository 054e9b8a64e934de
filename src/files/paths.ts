import { lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import path from "node:path";

/**
 * Creates a directory and its missing parents. It does not use `recursive`: if a file system reports a new name as missing
 * (/proc, /home behind an automounter), Node would retry forever. Returns true if the directory did not exist before.
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

/** Undefined if nothing has the name. Opening it reports any other problem. */
export function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether anything has the name, even a dangling link. */
export function isTaken(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Bytes; undefined if there is no such file. */
export function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** The permission bits; undefined if there is no such file or directory. */
export function modeOf(file: string): number | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}
