import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { acquireLock, type Locking } from "./file-lock.ts";
import { makeFolder } from "./paths.ts";
import { type JsonFile, readJsonFile } from "./read-json-file.ts";
import { replaceFile, stageFile } from "./replace-file.ts";

/** What a change makes of a file: `after` undefined leaves it as it is. */
export interface Changed<C, T> {
  readonly after: C | undefined;
  readonly result: T;
}

/** New content, in a file that is about to replace another one. */
export interface Staged {
  readonly staged: string;
  readonly target: string;
}

/**
 * Changes one small file that all processes of this machine share: lock, read, change, replace by rename. Of many
 * processes that do so at once each sees what the ones before it wrote, and a reader sees the old file or the new one,
 * whole. `change` is called again, with what the file holds by then, when another process took the lock for abandoned
 * meanwhile; it may throw, to refuse what it finds. Throws where the folder cannot be written or the lock not be had.
 */
export async function updateJsonFile<C, T>(
  context: Locking,
  file: string,
  change: (current: JsonFile) => Changed<C, T>,
  stage: (content: C) => Staged,
): Promise<T> {
  for (;;) {
    const lock = await acquireLock(context, `${file}.lock`);
    let staged: string | undefined;
    try {
      const { after, result } = change(readJsonFile(file));
      if (after === undefined) return result;
      const { target } = ({ staged } = stage(after));
      // Another's change may be missing from the content.
      if (!lock.isHeld()) continue;
      await replaceFile(context, staged, target);
      staged = undefined;
      return result;
    } finally {
      if (staged !== undefined) rmSync(staged, { force: true });
      lock.release();
    }
  }
}

/**
 * Changes a file of the state folder. What it held is undefined where there is none or it is no JSON object, for what is
 * counted here can be counted anew.
 */
export async function updateStateFile<T>(
  context: Locking,
  file: string,
  change: (before: unknown) => Changed<object, T>,
): Promise<T> {
  makeFolder(path.dirname(file), 0o700);
  return await updateJsonFile(
    context,
    file,
    (current) => change(current.state === "read" ? current.object : undefined),
    (after) => ({
      staged: stageFile(context.random, file, JSON.stringify(after), { mode: 0o600 }),
      target: file,
    }),
  );
}

/** Writes a file in a folder as a run does, lock and all, and removes it. Throws where that fails. */
export async function probeStateFolder(context: Locking, folder: string): Promise<void> {
  const probe = path.join(folder, "doctor.json");
  await updateStateFile(context, probe, () => ({ after: {}, result: undefined }));
  rmSync(probe, { force: true });
}

/** Removes the files of such names that nobody has changed for a day. */
export function removeUnused(folder: string, name: RegExp, now: number): void {
  for (const each of readdirSync(folder).filter((entry) => name.test(entry))) {
    const file = path.join(folder, each);
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - changed > 24 * 60 * 60 * 1000) rmSync(file, { force: true });
  }
}
