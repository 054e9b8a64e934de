import { lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import path from "node:path";

/**
 * A folder with those above it that are missing. Not `recursive`: where a file system says of a new name that it is
 * not there (/proc, /home behind an automounter), Node would try for ever. True where it was not there before.
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

/** Undefined where nothing is; whatever else is wrong with a name is told when it is opened. */
export function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether anything has the name, also a link to nothing. */
export function isTaken(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Bytes; undefined where there is no such file. */
export function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** The permission bits; undefined where there is no such file or folder. */
export function modeOf(file: string): number | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}
