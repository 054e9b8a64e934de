import { homedir } from "node:os";
import path from "node:path";
import type { Context } from "../context/context.ts";

type Surroundings = Pick<Context, "env" | "platform">;

/**
 * The directories are created when a file is written. Uses the dexdata variable, the XDG variable, or the platform's default. macOS shares its defaults with Linux, as in
 * gh, git and most command-line tools.
 */
export function findFolders(context: Surroundings) {
  const isWindows = context.platform === "win32";
  const paths = isWindows ? path.win32 : path.posix;
  const home = findHome(context, paths);
  const local = absolute(context, paths, "LOCALAPPDATA") ?? paths.join(home, "AppData", "Local");
  const roaming = absolute(context, paths, "APPDATA") ?? paths.join(home, "AppData", "Roaming");
  const choose = (own: string, xdg: string, standard: string): string => {
    const chosen = context.env[own];
    // The variable is specific to dexdata, so a path relative to the working directory is allowed.
    if (chosen !== undefined && chosen !== "") return paths.resolve(chosen);
    const base = absolute(context, paths, xdg);
    return base === undefined ? standard : paths.join(base, "dexdata");
  };
  const config = isWindows ? paths.join(roaming, "dexdata") : paths.join(home, ".config", "dexdata");
  const state = isWindows ? paths.join(local, "dexdata", "state") : paths.join(home, ".local/state/dexdata");
  const cache = isWindows ? paths.join(local, "dexdata", "cache") : paths.join(home, ".cache", "dexdata");
  return {
    config: choose("DEXDATA_CONFIG_DIR", "XDG_CONFIG_HOME", config),
    /** For files that should be kept but can be lost, such as the request log for the rate limit. */
    state: choose("DEXDATA_STATE_DIR", "XDG_STATE_HOME", state),
    /** For files that can be fetched again. */
    cache: choose("DEXDATA_CACHE_DIR", "XDG_CACHE_HOME", cache),
  };
}

/** The XDG Base Directory specification requires programs to ignore relative paths. */
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
    // In a container, the user may not have an entry in passwd. If the temporary directory were used instead, other
    // users could plant a config file with their own hosts.
    return paths.sep;
  }
}
