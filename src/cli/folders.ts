import { userInfo } from "node:os";
import path from "node:path";
import type { Context } from "../base/context/context.ts";
import { invalidInput } from "../base/failure.ts";

type Surroundings = Pick<Context, "env" | "platform">;

/**
 * From the dexdata variable, the XDG variable, or the platform's default, which macOS shares with Linux, as in gh and git.
 * No path is relative to the working directory: its files could be someone else's, and `key_command` runs a program.
 * Reading a directory throws a usage failure if its dexdata variable is not an absolute path.
 */
export function findFolders(context: Surroundings) {
  const isWindows = context.platform === "win32";
  const paths = isWindows ? path.win32 : path.posix;
  const inHome = (...names: readonly string[]): string => paths.join(findHome(context, paths), ...names);
  const local = (): string => absolute(context, paths, "LOCALAPPDATA") ?? inHome("AppData", "Local");
  const roaming = (): string => absolute(context, paths, "APPDATA") ?? inHome("AppData", "Roaming");
  const choose = (own: string, xdg: string, standard: () => string): string => {
    const chosen = ownFolder(context, paths, own);
    if (chosen !== undefined) return chosen;
    const base = absolute(context, paths, xdg);
    return base === undefined ? standard() : paths.join(base, "dexdata");
  };
  return {
    get config() {
      return choose("DEXDATA_CONFIG_DIR", "XDG_CONFIG_HOME", () =>
        isWindows ? paths.join(roaming(), "dexdata") : inHome(".config", "dexdata"),
      );
    },
    /** For files that should be kept but can be lost, such as the request log for the rate limit. */
    get state() {
      return choose("DEXDATA_STATE_DIR", "XDG_STATE_HOME", () =>
        isWindows ? paths.join(local(), "dexdata", "state") : inHome(".local", "state", "dexdata"),
      );
    },
    /** For files that can be fetched again. */
    get cache() {
      return choose("DEXDATA_CACHE_DIR", "XDG_CACHE_HOME", () =>
        isWindows ? paths.join(local(), "dexdata", "cache") : inHome(".cache", "dexdata"),
      );
    },
  };
}

/** Other programs ignore the dexdata variables, so a mistake in one is reported here or nowhere. */
function ownFolder(context: Surroundings, paths: path.PlatformPath, name: string): string | undefined {
  const value = context.env[name];
  if (value === undefined || value === "") return undefined;
  if (paths.isAbsolute(value)) return paths.resolve(value);
  throw invalidInput(`${name} "${value}"`, "must be an absolute path");
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
    // homedir() would return HOME as it is, even if it is empty.
    const { homedir } = userInfo();
    if (paths.isAbsolute(homedir)) return homedir;
  } catch {
    // In a container, the user may not have an entry in the user database.
  }
  // If the temporary directory were used instead, other users could plant a config file with their own hosts.
  return paths.sep;
}
