import { chmodSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Context } from "../context/context.ts";
import { writeFailure } from "../files/file-fault.ts";
import type { Locking } from "../files/file-lock.ts";
import { makeFolder } from "../files/paths.ts";
import type { JsonFile } from "../files/read-json-file.ts";
import { stagingName, stagingSuffix } from "../files/replace-file.ts";
import { type Changed, updateJsonFile } from "../files/update-json-file.ts";

export type Editing = Locking & Pick<Context, "env">;

type JsonObject = Readonly<Record<string, unknown>>;

/** Changes one file in the settings directory, which is created if necessary. */
export async function updateSettingsFile<T>(
  context: Locking,
  file: string,
  change: (current: JsonFile) => Changed<JsonObject, T>,
): Promise<T> {
  // conf loads slowly, so it is loaded before the lock is taken and others wait.
  const { default: Conf } = await import("conf");
  try {
    prepareFolder(path.dirname(file), context.platform);
    return await updateJsonFile(context, file, change, (content) => {
      const target = resolveLink(file);
      return { staged: stage(context.random, Conf, target, content), target };
    });
  } catch (error) {
    if (context.signal.aborted) throw error;
    const hint = "check the permissions of the directory, or use another one with DEXDATA_CONFIG_DIR";
    throw writeFailure("settings", file, error, hint);
  }
}

/**
 * conf writes the new content next to the file, and a rename puts it in place. Without that, conf writes directly into the
 * file if SNAP is set or a rename fails, and a reader could see half of it.
 */
function stage(
  random: () => number,
  Conf: (typeof import("conf"))["default"],
  target: string,
  content: JsonObject,
): string {
  removeAbandonedStages(target);
  const staged = stagingName(random, target);
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
    return staged;
  } catch (cause) {
    rmSync(staged, { force: true });
    throw cause;
  }
}

/**
 * Only the holder of the lock writes files with these names, so an existing one is from a killed process. It may contain a
 * key, which `auth logout` promises to remove.
 */
function removeAbandonedStages(target: string): void {
  const [folder, name] = [path.dirname(target), path.basename(target)];
  // conf adds a suffix while it writes.
  const ending = new RegExp(`^${stagingSuffix}(?:\\.tmp-[\\da-f]+)?$`, "u");
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith(name) && ending.test(entry.slice(name.length)))
      rmSync(path.join(folder, entry), { force: true });
  }
}

/** Some users link to settings in another place. The link stays. */
function resolveLink(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** 0700, as in the XDG specification. An existing directory is narrowed only if it contains only files of dexdata. */
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
    // The directory belongs to another user. The files in it are 0600 nevertheless.
  }
}
