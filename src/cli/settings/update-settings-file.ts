import { chmodSync, existsSync, readdirSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { orUndefined } from "../../base/failure.ts";
import type { Context } from "../../base/context/context.ts";
import { writeFailure } from "../../base/files/file-errors.ts";
import type { Locking } from "../../base/files/file-lock.ts";
import { makeFolder, namesIn } from "../../base/files/paths.ts";
import { type Changed, type JsonFile, updateJsonFile } from "../../base/files/json-file.ts";
import { keepOwner, stagingName, stagingSuffix } from "../../base/files/replace-file.ts";

export type Editing = Locking & Pick<Context, "env">;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The directory is created if necessary. Staged files that a killed process left are removed, because they may contain a
 * key, and `auth logout` promises to remove all keys; `change` gets their paths.
 */
export async function updateSettingsFile<T>(
  context: Locking,
  file: string,
  change: (current: JsonFile, removed: readonly string[]) => Changed<JsonObject, T>,
): Promise<T> {
  // conf loads slowly, so it is loaded before this process takes the lock that other processes may wait for.
  const { default: Conf } = await import("conf");
  try {
    prepareFolder(path.dirname(file), context.platform);
    return await updateJsonFile(
      context,
      file,
      (current) => change(current, removeStages(file)),
      (content) => stage(context.random, Conf, resolveLink(file), content),
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
  target: string,
  content: JsonObject,
) {
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
    keepOwner(staged, target);
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

/** conf adds a suffix while it writes a staged file. */
const staging = new RegExp(`^${stagingSuffix}(?:\\.tmp-[\\da-f]+)?$`, "u");
const backup = /^\.bak\d*$/u;
/** These contain no keys. */
const lock = new RegExp(`^\\.lock(?:\\.break|${stagingSuffix})?$`, "u");

/** Other files in the directory of the key store that may contain keys. All paths are absolute. */
export function findKeyCopies(file: string) {
  /** A killed process left them. */
  const stages: string[] = [];
  /** `auth login` moved a damaged store aside. */
  const backups: string[] = [];
  /** Other programs, such as editors, created them. */
  const others: string[] = [];
  const target = resolveLink(file);
  for (const each of new Set([file, target])) {
    const name = path.basename(each);
    for (const entry of namesIn(path.dirname(each)).toSorted()) {
      if (!entry.includes(name) || entry === name) continue;
      const rest = entry.startsWith(name) ? entry.slice(name.length) : "";
      const copy = path.join(path.dirname(each), entry);
      if (staging.test(rest)) stages.push(copy);
      else if (backup.test(rest)) backups.push(copy);
      else if (!lock.test(rest) && copy !== target) others.push(copy);
    }
  }
  return { stages, backups, others };
}

/** Only for the holder of the file's lock, because another holder's staged file would be in use. */
function removeStages(file: string): readonly string[] {
  const { stages } = findKeyCopies(file);
  for (const each of stages) rmSync(each, { force: true });
  return stages;
}

/** Some users link their settings to a file elsewhere; the link is preserved. */
function resolveLink(file: string): string {
  return orUndefined(() => realpathSync(file)) ?? file;
}
