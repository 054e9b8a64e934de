import { lstatSync, realpathSync } from "node:fs";
import Module from "node:module";
import path from "node:path";
import { makeFolder } from "../src/base/files/paths.ts";
import { findFolders } from "../src/cli/folders.ts";
import { cacheCompiledCode } from "./code-cache.ts";

/** `node:module` has had this function since Node 22.1. */
interface CachingLoader {
  readonly enableCompileCache: (directory: string) => { readonly directory?: string };
}

/**
 * Saves a quarter of a short command's run time. Call it after setting V8's flags, because V8 rejects code that was
 * compiled with other flags. Returns whether the cache is used; an error here never fails the run.
 */
export function enableCompileCache(): boolean {
  const user = process.geteuid?.();
  // On Windows, the owner and mode do not show whether a directory is private.
  if (user === undefined || !isWanted()) return false;
  try {
    const { cache } = findFolders({ env: process.env, platform: process.platform });
    const directory = path.join(cache, "compiled");
    // Node itself would create a directory that other users can read.
    makeFolder(directory, 0o700);
    // The real path is used, so changing a symbolic link after the check cannot redirect the cache.
    const real = realpathSync(directory);
    if (!isPrivate(real, user)) return false;
    if (isCachingLoader(Module)) return Module.enableCompileCache(real).directory !== undefined;
    cacheCompiledCode(real);
    return true;
  } catch {
    // If the disk is full, the home directory is read-only or its variable is invalid, this run compiles its code as
    // usual.
    return false;
  }
}

function isCachingLoader(module: object): module is CachingLoader {
  return "enableCompileCache" in module;
}

/** Node disables its cache if the first variable exists, even if it is empty. Cached code makes coverage less exact. */
function isWanted(): boolean {
  const { NODE_DISABLE_COMPILE_CACHE: disabled, NODE_V8_COVERAGE: coverage = "" } = process.env;
  return disabled === undefined && coverage === "";
}

/** V8 runs cached code without checking it, so only this user and root may write to it. Needs a real path. */
export function isPrivate(directory: string, user: number): boolean {
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== user || (found.mode & 0o077) !== 0) return false;
  for (let child = directory, owner = user; child !== path.dirname(child); child = path.dirname(child)) {
    const parent = lstatSync(path.dirname(child));
    if (parent.uid !== user && parent.uid !== 0) return false;
    const isShared = (parent.mode & 0o022) !== 0;
    // In a sticky directory such as /tmp, other users can add entries but cannot replace this user's entries.
    const isSticky = (parent.mode & 0o1000) !== 0 && parent.uid === 0;
    if (isShared && !(isSticky && owner === user)) return false;
    owner = parent.uid;
  }
  return true;
}
