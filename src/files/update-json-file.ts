import { chmodSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Context } from "../context/context.ts";
import { fail, Failure } from "../contract/failure.ts";
import { acquireLock, type FileLock } from "./file-lock.ts";
import { cannotBeWritten, diskAdvice } from "./file-fault.ts";
import { makeFolder } from "./make-folder.ts";
import { type JsonFile, readJsonFile } from "./read-json-file.ts";
import { stagingName, stagingSuffix } from "./staged-file.ts";
import { replaceFile } from "./replace-file.ts";

export type Writing = Pick<Context, "clock" | "random" | "signal" | "platform">;

/** Undefined: leave the file as it is. May throw, to refuse what it finds. */
export type Change = (current: JsonFile) => Readonly<Record<string, unknown>> | undefined;

/**
 * Changes one file of the settings folder: lock, read again, change, replace by rename. Of many processes that
 * do so at once each sees what the ones before it wrote, and a reader sees the old file or the new one, whole.
 */
export async function updateJsonFile(context: Writing, file: string, change: Change): Promise<void> {
  // Loaded before the lock is taken: it is slow, and others wait.
  const { default: Conf } = await import("conf");
  try {
    prepareFolder(path.dirname(file), context.platform);
    let isDone = false;
    while (!isDone) {
      const lock = await acquireLock(context, `${file}.lock`);
      try {
        const changed = change(readJsonFile(file));
        isDone = changed === undefined || (await replace(context, Conf, file, changed, lock));
      } finally {
        lock.release();
      }
    }
  } catch (error) {
    if (error instanceof Failure || context.signal.aborted) throw error;
    throw fail("settings", `${file} ${cannotBeWritten(error)}`, {
      next: diskAdvice(error) ?? "check the folder's permissions, or name another with DEXDATA_CONFIG_DIR",
      cause: error,
    });
  }
}

/**
 * conf writes the new content beside the file, and a rename puts it in place: on its own conf would write
 * straight into the file where SNAP is set or a rename is refused, and a reader could see half of it. False when
 * the lock was lost meanwhile, so that another's change may be missing from the content.
 */
async function replace(
  context: Writing,
  Conf: (typeof import("conf"))["default"],
  file: string,
  content: Readonly<Record<string, unknown>>,
  lock: FileLock,
): Promise<boolean> {
  const target = resolveLink(file);
  removeAbandonedStages(target);
  const staged = stagingName(context.random, target);
  try {
    const store = new Conf<Record<string, unknown>>({
      cwd: path.dirname(staged),
      configName: path.basename(staged),
      fileExtension: "",
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: (value) => `${JSON.stringify(value, undefined, 2)}\n`,
    });
    store.store = { ...content };
    if (!lock.isHeld()) return false;
    await replaceFile(context, staged, target);
    return true;
  } finally {
    rmSync(staged, { force: true });
  }
}

/**
 * Only the holder of the lock writes files of these names, so an older one is from a process that was killed. It may hold
 * a key, which `auth logout` promises to remove.
 */
function removeAbandonedStages(target: string): void {
  const [folder, name] = [path.dirname(target), path.basename(target)];
  // conf adds an ending of its own while it writes.
  const ending = new RegExp(`^${stagingSuffix}(?:\\.tmp-[\\da-f]+)?$`, "u");
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith(name) && ending.test(entry.slice(name.length)))
      rmSync(path.join(folder, entry), { force: true });
  }
}

/** People keep their settings elsewhere and link to them: the link stays. */
function resolveLink(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** 0700, as the XDG specification wants. A folder that was there is narrowed only if nothing but ours is in it. */
function prepareFolder(folder: string, platform: string): void {
  makeFolder(folder, 0o700);
  if (platform === "win32") return;
  const mode = statSync(folder).mode & 0o7777;
  const isShared = (mode & 0o1002) !== 0;
  const isOurs = readdirSync(folder).every((name) => /^(?:config|credentials)\.json(?:\.|$)/u.test(name));
  if ((mode & 0o077) === 0 || isShared || !isOurs) return;
  try {
    chmodSync(folder, 0o700);
  } catch {
    // The folder is somebody else's; the files in it are 0600 all the same.
  }
}
