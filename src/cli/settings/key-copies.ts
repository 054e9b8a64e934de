import { readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { stagingSuffix } from "../../base/files/replace-file.ts";

/** Other files in the directory of the key store that may contain keys. All paths are absolute. */
export interface KeyCopies {
  /** A killed process left them. */
  readonly stages: readonly string[];
  /** `auth login` moved a damaged store aside. */
  readonly backups: readonly string[];
  /** Other programs, such as editors, created them. */
  readonly others: readonly string[];
}

/** conf adds a suffix while it writes a staged file. */
const stage = new RegExp(`^${stagingSuffix}(?:\\.tmp-[\\da-f]+)?$`, "u");
const backup = /^\.bak\d*$/u;
/** These contain no keys. */
const lock = new RegExp(`^\\.lock(?:\\.break|${stagingSuffix})?$`, "u");

export function findKeyCopies(file: string): KeyCopies {
  const [stages, backups, others]: [string[], string[], string[]] = [[], [], []];
  const target = resolveLink(file);
  for (const each of new Set([file, target])) {
    const name = path.basename(each);
    for (const entry of entriesOf(path.dirname(each))) {
      if (!entry.includes(name) || entry === name) continue;
      const rest = entry.startsWith(name) ? entry.slice(name.length) : "";
      const copy = path.join(path.dirname(each), entry);
      if (stage.test(rest)) stages.push(copy);
      else if (backup.test(rest)) backups.push(copy);
      else if (!lock.test(rest) && copy !== target) others.push(copy);
    }
  }
  return { stages, backups, others };
}

/** Only for the holder of the file's lock, because another holder's staged file would be in use. */
export function removeStages(file: string): readonly string[] {
  const { stages } = findKeyCopies(file);
  for (const each of stages) rmSync(each, { force: true });
  return stages;
}

/** Some users link their settings to a file elsewhere; the link is preserved. */
export function resolveLink(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
