import { readlinkSync, realpathSync } from "node:fs";
import path from "node:path";

/** As many links as Linux follows. */
const maxLinks = 40;

/**
 * The file that a name leads to, over links of the user's own, also where that does not exist yet. The files that belong
 * to it are beside it, so that two runs which name it in different ways meet.
 */
export function targetOf(file: string): string {
  let target = file;
  for (let links = 0; links < maxLinks; links += 1) {
    try {
      target = path.resolve(path.dirname(target), readlinkSync(target));
    } catch {
      return target;
    }
  }
  return file;
}

/** The checkpoint of a pull into `FILE`. */
export function journalOf(file: string): string {
  return `${file}.resume`;
}

/** The rows of a pull into `FILE` that has not finished, unless they grow in `FILE` itself. */
export function partOf(file: string): string {
  return `${file}.part`;
}

/** Held by the one process that writes `FILE`. */
export function lockOf(file: string): string {
  return `${file}.lock`;
}

/** The same for every way to name a file, also one that does not exist yet. */
export function trueName(file: string): string {
  const target = targetOf(path.resolve(file));
  try {
    return path.join(realpathSync(path.dirname(target)), path.basename(target));
  } catch {
    return target;
  }
}
