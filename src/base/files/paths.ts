import {
  type BigIntStats,
  type Stats,
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { fail, type Failure, usageFailure } from "../failure.ts";
import { errorCode, writeFailure } from "./file-errors.ts";

/**
 * Returns true if the directory did not exist. Does not use `recursive`, because Node would retry forever on file
 * systems that report a new name as missing (/proc, or /home with an automounter).
 */
export function makeFolder(folder: string, mode = 0o777): boolean {
  const whole = path.resolve(folder);
  const parent = path.dirname(whole);
  if (parent !== whole && statSync(parent, { throwIfNoEntry: false }) === undefined) makeFolder(parent, mode);
  try {
    mkdirSync(whole, { mode });
    return true;
  } catch (cause) {
    const found = statSync(whole, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return false;
    // Otherwise, "already exists" would be said of the file in the directory.
    throw found === undefined ? cause : Object.assign(Object(cause), { code: "ENOTDIR" });
  }
}

/** Undefined if nothing has this name. Opening the file reports all other problems. */
export function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Empty if this is not a directory. Throws if this user cannot read it. */
export function readNames(folder: string): readonly string[] {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
  } catch (cause) {
    // Part of the path is a file.
    if (errorCode(cause) === "ENOTDIR") return [];
    throw cause;
  }
}

/** Empty if this is not a directory, or if this user cannot read it. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readNames(folder);
  } catch {
    return [];
  }
}

/** A dangling link counts as well. */
export function isTaken(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** In bytes; undefined if the file does not exist. */
export function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** The permission bits; undefined if nothing has this name. */
export function modeOf(file: string): number | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}

/** A file that does not exist is not an error. */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/**
 * The names of all files below a directory, relative to it and sorted. Links are names, too, and are not followed, and so
 * are directories that this user cannot read or that have the name of a file. Empty if the directory does not exist.
 */
export function namesBelow(folder: string, isFileName: (name: string) => boolean): readonly string[] {
  const found: string[] = [];
  const look = (place: string): void => {
    for (const entry of readdirSync(path.join(folder, place), { withFileTypes: true })) {
      const name = path.join(place, entry.name);
      if (!entry.isDirectory() || isFileName(entry.name)) found.push(name);
      else
        try {
          look(name);
        } catch {
          found.push(name);
        }
    }
  };
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) look("");
  else if (isTaken(folder)) found.push("");
  return found.toSorted((one, other) => (one < other ? -1 : 1));
}

function notRegular(file: string): Failure {
  return usageFailure(`${file} is not a regular file`, "move it out of the way");
}

/** Does not follow links or wait for the other end of a pipe. Windows supports neither flag. */
export const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A link (ELOOP), a directory (EISDIR), and a pipe or socket without a reader (ENXIO). */
const foreignKinds: ReadonlySet<string> = new Set(["ELOOP", "EISDIR", "ENXIO"]);

/**
 * For a file that only dexdata writes, such as a lock or a checkpoint. Throws a failure if the name belongs to a link,
 * directory, pipe or device, and otherwise the system error.
 */
export function openRegular(file: string, flags: number): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, flags | carefully);
  } catch (cause) {
    if (foreignKinds.has(errorCode(cause))) throw notRegular(file);
    throw cause;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw notRegular(file);
}

export function withDescriptor<T>(descriptor: number, use: (descriptor: number) => T): T {
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** False if nothing has this name. Throws a failure for anything but a regular file. */
export function checkRegular(file: string): boolean {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return false;
  if (there.isFile()) return true;
  throw notRegular(file);
}

export type FileIdentity = Pick<BigIntStats, "dev" | "ino">;

/** On Windows, the volume number has 64 bits for a path, but only 32 bits for an open file. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.ino === other.ino && BigInt.asUintN(32, one.dev) === BigInt.asUintN(32, other.dev);
}

/**
 * Creates a directory below `root`, and returns its path. The root itself can be a link; below it, no link is followed,
 * because its target is not ours to write to or to clear.
 */
export function folderBelow(root: string, ...parts: readonly string[]): string {
  let folder = root;
  for (const name of parts.flatMap((part) => part.split(path.sep)).filter((part) => part !== "")) {
    folder = path.join(folder, name);
    createFolder(folder);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) continue;
    const what = found?.isSymbolicLink() === true ? "a link" : "not a directory";
    throw fail("output", `${folder} is ${what}, and dexdata follows no links below ${root}`, {
      next: "replace it with a directory; only the outermost directory can be a link",
    });
  }
  return folder;
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, 0o777);
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw writeFailure("output", folder, cause);
  }
}

/** Where the system looks for programs without PATH. */
const defaultFolders = "/usr/bin:/bin";

/** Whether the system can start this program. `folders` is the value of PATH. Not for Windows, which has other rules. */
export function findProgram(
  program: string,
  folders = defaultFolders,
): "found" | "not executable" | "not found" {
  const files = program.includes("/")
    ? [program]
    : folders.split(":").map((folder) => path.join(folder, program));
  if (files.some((file) => isAllowed(file, constants.X_OK))) return "found";
  return files.some((file) => isAllowed(file, constants.F_OK)) ? "not executable" : "not found";
}

function isAllowed(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    // For a directory, this permission means something else.
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
