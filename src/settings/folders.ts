import { homedir } from "node:os";
import path from "node:path";
import type { Context } from "../context/context.ts";

type Surroundings = Pick<Context, "env" | "platform">;

/** The directories of dexdata. The writers create them when they need them. */
export interface Folders {
  /** `config.json` and `credentials.json`. */
  readonly config: string;
  /** Files that should survive but can be lost, such as the request log for the rate limit. */
  readonly state: string;
  /** Files that can be fetched again. */
  readonly cache: string;
}

/**
 * The dexdata variable, else XDG, else the default of the platform. macOS uses the directories of Linux, as gh, git and
 * most command-line tools do: `~/Library` is hard to type and not where people look for them.
 */
export function findFolders(context: Surroundings): Folders {
  const isWindows = context.platform === "win32";
  const paths = isWindows ? path.win32 : path.posix;
  const home = findHome(context, paths);
  const local = absolute(context, paths, "LOCALAPPDATA") ?? paths.join(home, "AppData", "Local");
  const roaming = absolute(context, paths, "APPDATA") ?? paths.join(home, "AppData", "Roaming");
  const choose = (own: string, xdg: string, standard: string): string => {
    const chosen = context.env[own];
    // The variable is specific to dexdata, so a relative path is valid, from the working directory.
    if (chosen !== undefined && chosen !== "") return paths.resolve(chosen);
    const base = absolute(context, paths, xdg);
    return base === undefined ? standard : paths.join(base, "dexdata");
  };
  const config = isWindows ? paths.join(roaming, "dexdata") : paths.join(home, ".config", "dexdata");
  const state = isWindows ? paths.join(local, "dexdata", "state") : paths.join(home, ".local/state/dexdata");
  const cache = isWindows ? paths.join(local, "dexdata", "cache") : paths.join(home, ".cache", "dexdata");
  return {
    config: choose("DEXDATA_CONFIG_DIR", "XDG_CONFIG_HOME", config),
    state: choose("DEXDATA_STATE_DIR", "XDG_STATE_HOME", state),
    cache: choose("DEXDATA_CACHE_DIR", "XDG_CACHE_HOME", cache),
  };
}

/** XDG Base Directory: a relative path is invalid and must be ignored. */
function absolute(context: Surroundings, paths: path.PlatformPath, name: string): string | undefined {
  const value = context.env[name];
  return value !== undefined && paths.isAbsolute(value) ? value : undefined;
}

function findHome(context: Surroundings, paths: path.PlatformPath): string {
  const named = absolute(context, paths, context.platform === "win32" ? "USERPROFILE" : "HOME");
  if (named !== undefined) return named;
  try {
    return homedir();
  } catch {
    // A container user may have no entry in passwd. Others could plant hosts in the temporary directory, so it is not used.
    return paths.sep;
  }
}
