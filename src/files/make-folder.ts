import { mkdirSync, statSync } from "node:fs";
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
