import { homedir } from "node:os";
import path from "node:path";
import type { Context } from "../context/context.ts";

type Surroundings = Pick<Context, "env" | "platform">;

/** Where the program keeps its files. Nothing is created here: that is the writer's part. */
export interface Folders {
  /** `config.json` and `credentials.json`. */
  readonly config: string;
  /** What must survive but can be lost: the log of the pace, checkpoints. */
  readonly state: string;
  /** What can be fetched again. */
  readonly cache: string;
}

/**
 * Own variable, else XDG, else the platform's place. macOS takes the places of Linux, as gh, git and most
 * command-line tools do: `~/Library` is hard to type and not where people look for them.
 */
export function findFolders(context: Surroundings): Folders {
  const isWindows = context.platform === "win32";
  const paths = isWindows ? path.win32 : path.posix;
  const home = findHome(context, paths);
  const local = absolute(context, paths, "LOCALAPPDATA") ?? paths.join(home, "AppData", "Local");
  const roaming = absolute(context, paths, "APPDATA") ?? paths.join(home, "AppData", "Roaming");
  const standard: Folders = isWindows
    ? {
        config: paths.join(roaming, "dexdata"),
        state: paths.join(local, "dexdata", "state"),
        cache: paths.join(local, "dexdata", "cache"),
      }
    : {
        config: paths.join(home, ".config", "dexdata"),
        state: paths.join(home, ".local", "state", "dexdata"),
        cache: paths.join(home, ".cache", "dexdata"),
      };
  const choose = (own: string, xdg: string, fallback: string): string => {
    const chosen = context.env[own];
    // Typed for this program, so a relative one is taken and means the working folder.
    if (chosen !== undefined && chosen !== "") return paths.resolve(chosen);
    const base = absolute(context, paths, xdg);
    return base === undefined ? fallback : paths.join(base, "dexdata");
  };
  return {
    config: choose("DEXDATA_CONFIG_DIR", "XDG_CONFIG_HOME", standard.config),
    state: choose("DEXDATA_STATE_DIR", "XDG_STATE_HOME", standard.state),
    cache: choose("DEXDATA_CACHE_DIR", "XDG_CACHE_HOME", standard.cache),
  };
}

/** XDG Base Directory: a relative path is invalid and to be ignored. */
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
    // A container's user without an entry in passwd. Not the temporary folder: there, others could plant hosts.
    return paths.sep;
  }
}
