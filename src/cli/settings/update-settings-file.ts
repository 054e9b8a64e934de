import { chmodSync, existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Context } from "../../base/context/context.ts";
import { writeFailure } from "../../base/files/file-errors.ts";
import type { Locking } from "../../base/files/file-lock.ts";
import { makeFolder } from "../../base/files/paths.ts";
import { type Changed, type JsonFile, updateJsonFile } from "../../base/files/json-file.ts";
import { stagingName } from "../../base/files/replace-file.ts";
import { removeStages, resolveLink } from "./key-copies.ts";

export type Editing = Locking & Pick<Context, "env">;

type JsonObject = Readonly<Record<string, unknown>>;

/** The directory is created if necessary. */
export async function updateSettingsFile<T>(
  context: Locking,
  file: string,
  change: (current: JsonFile) => Changed<JsonObject, T>,
): Promise<T> {
  // conf loads slowly, so it is loaded before this process takes the lock that other processes may wait for.
  const { default: Conf } = await import("conf");
  try {
    prepareFolder(path.dirname(file), context.platform);
    return await updateJsonFile(context, file, change, (content) =>
      stage(context.random, Conf, file, content),
    );
  } catch (error) {
    if (context.signal.aborted) throw error;
    const hint = "check the permissions of the directory, or use another one with DEXDATA_CONFIG_DIR";
    throw writeFailure("settings", file, error, hint);
  }
}

/**
 * Writes next to the target for a later rename. conf itself would write in place when SNAP is set or a rename fails,
 * and a reader could see a partial file.
 */
function stage(
  random: () => number,
  Conf: (typeof import("conf"))["default"],
  file: string,
  content: JsonObject,
) {
  const target = resolveLink(file);
  // A killed process left them. They may contain a key, and `auth logout` promises to remove all keys.
  removeStages(file);
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
    return { staged, target };
  } catch (cause) {
    rmSync(staged, { force: true });
    throw cause;
  }
}

/** Throws if a file in the directory cannot be written as `auth login` and `config set` do. Leaves nothing behind. */
export async function probeSettingsFolder(context: Locking, folder: string): Promise<void> {
  const isNew = !existsSync(folder);
  const probe = path.join(folder, "config.json.doctor");
  try {
    await updateSettingsFile(context, probe, () => ({ after: {}, result: undefined }));
  } finally {
    rmSync(probe, { force: true });
    if (isNew) removeEmpty(folder);
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The directory was not created, or another process has just written to it.
  }
}

/** Mode 0700, as in the XDG specification. An existing directory is restricted only if all its files are dexdata's. */
function prepareFolder(folder: string, platform: string): void {
  makeFolder(folder, 0o700);
  if (platform === "win32") return;
  const mode = statSync(folder).mode & 0o7777;
  const isShared = (mode & 0o1002) !== 0;
  const isOurs = readdirSync(folder).every((name) =>
    /^(?:config|credentials|names)\.json(?:\.|$)/u.test(name),
  );
  if ((mode & 0o077) === 0 || isShared || !isOurs) return;
  try {
    chmodSync(folder, 0o700);
  } catch {
    // The directory belongs to another user. Its dexdata files still have mode 0600.
  }
}
