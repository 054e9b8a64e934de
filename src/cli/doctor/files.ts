import { rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Context } from "../../context/context.ts";
import { Failure } from "../../contract/failure.ts";
import { saidOf } from "../../files/file-fault.ts";
import { withoutSecrets } from "../../contract/key.ts";
import { readConfigFile } from "../../settings/config-file.ts";
import { readCredentials } from "../../settings/credentials.ts";
import { findFolders } from "../../settings/folders.ts";
import { configWarnings, readSettings } from "../../settings/read-settings.ts";
import { updateStateFile } from "../../files/state-file.ts";
import { type Finding, fail, failed, ok, warn } from "./finding.ts";

/** Where settings come from, and whether each is one. */
export function checkConfig(context: Context): Finding {
  const file = readConfigFile(context);
  const set = Object.keys(context.env).filter(
    (name) => name.startsWith("DEXDATA_") && context.env[name] !== "",
  );
  const also = set.length === 0 ? "" : `; set beside it: ${set.toSorted().join(", ")}`;
  try {
    readSettings(context);
  } catch (cause) {
    return failed("config", cause, "see: dexdata config list");
  }
  const [warning] = configWarnings(file);
  if (file.problem !== undefined)
    return warn(
      "config",
      `${file.problem}; commands go on without it`,
      `mend it, or remove it: rm '${file.path}'`,
    );
  if (warning !== undefined) return warn("config", warning, "take the name out of the file");
  const kept = file.values.size === 0 ? "no settings" : `${file.values.size} set`;
  return ok("config", `${file.path}: ${kept}${also}`);
}

/** The key store: whole, and nobody else's to read. */
export function checkCredentials(context: Context): Finding {
  const { path: file, problem, exposure, profiles, active } = readCredentials(context);
  if (problem !== undefined)
    return fail(
      "credentials",
      `${problem}; commands go on without what it holds`,
      "store the key again: dexdata auth login",
      2,
    );
  if (exposure !== undefined)
    return warn("credentials", `${file} holds a key and others can read it`, `chmod 600 '${file}'`);
  const folder = path.dirname(file);
  const mode = context.platform === "win32" ? undefined : statSync(folder, { throwIfNoEntry: false })?.mode;
  if (profiles.size > 0 && mode !== undefined && (mode & 0o022) !== 0)
    return warn(
      "credentials",
      `others can write to ${folder}, and could put another key there`,
      `chmod 700 '${folder}'`,
    );
  const names = [...profiles.keys()].map((name) => (name === active ? `${name} (in use)` : name));
  const stored = names.length === 0 ? "no key is stored" : `stored: ${names.join(", ")}`;
  return ok("credentials", `${file}: ${stored}`);
}

/** Writes there as a run does, lock and all. */
export async function checkState(context: Context): Promise<Finding> {
  const folder = findFolders(context).state;
  const probe = path.join(folder, "doctor.json");
  try {
    await updateStateFile(context, probe, () => ({ after: {}, result: undefined }));
    rmSync(probe, { force: true });
    return ok("state", `${folder} can be written, and its locks taken`);
  } catch (cause) {
    if (context.signal.aborted) throw cause;
    const why = withoutSecrets(saidOf(cause));
    const next = cause instanceof Failure ? cause.details.next : undefined;
    return warn(
      "state",
      `${folder} cannot be written, so the pace is not shared with other processes: ${why}`,
      next ?? "make it writable, or name another folder: DEXDATA_STATE_DIR",
    );
  }
}
