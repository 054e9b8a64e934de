import { lstatSync, readFileSync, realpathSync, renameSync, unlink, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { compileFunction } from "node:vm";
import { crc32 } from "node:zlib";
import { makeFolder } from "../src/base/files/paths.ts";
import { findFolders } from "../src/cli/folders.ts";

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

/**
 * Replaces `enableCompileCache` on Node before 22.1. Without a cache, `dexdata pool` takes 2.9 times as long as a minimal
 * script; with one, 2.2 times. `npm run bench` allows 2.7. The package v8-compile-cache saves only a sixth of that time,
 * because it hashes every file and rewrites its cache in each run.
 *
 * The directory must be private, because V8 runs cached code without checking it. A chunk's name contains a hash of its
 * content, and the tag stands for V8's version and flags.
 */
function cacheCompiledCode(directory: string): void {
  const tag = cachedDataVersionTag();
  Object.assign(Module.prototype, {
    _compile(this: NodeJS.Module, content: string, filename: string): void {
      const file = path.join(directory, `${path.basename(filename)}.${tag}`);
      const cachedData = readCode(file);
      const run = compileFunction(content, ["exports", "require", "module", "__filename", "__dirname"], {
        filename,
        ...(cachedData === undefined ? { produceCachedData: true } : { cachedData }),
      });
      if (run.cachedData !== undefined) writeCode(file, run.cachedData);
      run.call(this.exports, this.exports, createRequire(filename), this, filename, path.dirname(filename));
    },
  });
}

/** V8 would crash on damaged code, so the file starts with a checksum. */
const checksumBytes = 4;

function readCode(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(checksumBytes);
    return crc32(code) === bytes.readUInt32LE() ? code : undefined;
  } catch {
    // The chunk has not been cached yet, or the file is too short.
    return undefined;
  }
}

function writeCode(file: string, code: Buffer): void {
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(code));
  const staged = `${file}.${process.pid}`;
  try {
    writeFileSync(staged, Buffer.concat([checksum, code]), { mode: 0o600 });
    renameSync(staged, file);
  } catch {
    // The disk is full, for example. The next run compiles the chunk again.
    unlink(staged, () => undefined);
  }
}
