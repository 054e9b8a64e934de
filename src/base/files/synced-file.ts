import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { fail } from "../failure.ts";
import { cannotBeRead, errorCode, explainedWrite, writeFailure } from "./file-errors.ts";
import { checkHeld, type FileLock } from "./file-lock.ts";
import { carefully, type FileIdentity, isSameFile, withDescriptor } from "./paths.ts";

/** A file that is read in parts. Reads are synchronous, because `sync` opens thousands of files in one run. */
export interface FileSource {
  readonly size: number;
  /** Returns the bytes from `start` to before `end`, which the caller may change. Zeros replace those that are gone. */
  readonly read: (start: number, end: number) => Buffer;
}

export interface StoredFile extends FileSource {
  readonly identity: FileIdentity;
  readonly close: () => void;
}

/** Undefined if the file does not exist. */
export function openStored(file: string): StoredFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | carefully);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw cause;
  }
  const facts = fstatSync(descriptor, { bigint: true });
  return {
    size: Number(facts.size),
    identity: facts,
    read: (start, end) => {
      const bytes = Buffer.alloc(end - start);
      for (let at = 0; at < bytes.length;) {
        const count = readSync(descriptor, bytes, at, bytes.length - at, start + at);
        if (count === 0) break;
        at += count;
      }
      return bytes;
    },
    close: () => closeSync(descriptor),
  };
}

/** A file that gets its name when it is complete. An earlier one of the same name is what a killed run left. */
export function createPart(file: string) {
  let descriptor = explainedWrite(file, () => {
    rmSync(file, { force: true });
    return openSync(file, "wx", 0o666);
  });
  let size = 0;
  return {
    size: () => size,
    write: (bytes: Uint8Array): Promise<void> => {
      for (let at = 0; at < bytes.length;) at += explainedWrite(file, () => writeSync(descriptor, bytes, at));
      size += bytes.length;
      return Promise.resolve();
    },
    /** Resolves when the bytes are on the disk. */
    sync: () => explainedWrite(file, () => fsyncSync(descriptor)),
    /** Can be called more than once. */
    close: () => {
      if (descriptor !== -1) closeSync(descriptor);
      descriptor = -1;
    },
  };
}

/** Windows cannot open a directory, and saves names without it. */
function syncFolder(folder: string): void {
  try {
    withDescriptor(openSync(folder, "r"), fsyncSync);
  } catch {
    // Some file systems refuse it. The file itself is on the disk.
  }
}

/** Empty if the file does not exist. */
export function linesOfFile(file: string): readonly string[] {
  return (textOfFile(file) ?? "").split("\n").filter((line) => line !== "");
}

/** Removes regular files whose names match, and leaves everything else. */
export function removeOwn(folder: string, names: RegExp): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (names.test(name) && lstatSync(file, { throwIfNoEntry: false })?.isFile() === true)
      rmSync(file, { force: true });
  }
}

/** Undefined if the file does not exist. */
export function textOfFile(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    // Node does not name a directory in the place of a file.
    throw fail("output", `${file} ${cannotBeRead(cause)}`, { cause });
  }
}

/** Undefined if nothing has this name. A link is not followed. */
export function identityOf(file: string): FileIdentity | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A part of the path is not a directory, or not ours.
    return undefined;
  }
}

/**
 * Gives a staged file its name. `expected` is the file that was read before, or undefined if there was none: nothing
 * else is ever replaced. The new name survives a power failure.
 *
 * Node cannot compare and rename in one step. If this process is suspended between the check and the rename, it can
 * still replace a file that another process has written in the meantime.
 */
export function publish(
  lock: Pick<FileLock, "isHeld" | "path">,
  staged: string,
  target: string,
  expected: FileIdentity | undefined,
): void {
  checkHeld(lock);
  const there = identityOf(target);
  const isExpected =
    there === undefined || expected === undefined ? there === expected : isSameFile(there, expected);
  if (!isExpected)
    throw fail("output", `${target} was changed by another program during the run`, {
      next: "run the command again",
      retryable: true,
    });
  try {
    renameSync(staged, target);
  } catch (cause) {
    const next = errorCode(cause) === "EXDEV" ? "keep .dexdata and the data in one file system" : undefined;
    throw writeFailure("output", target, cause, next);
  }
  syncFolder(path.dirname(target));
}

/** Copies a file to a name that does not exist. The copy survives a power failure. */
export function keepCopy(lock: Pick<FileLock, "isHeld" | "path">, file: string, copy: string): void {
  checkHeld(lock);
  explainedWrite(copy, () => {
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
    withDescriptor(openSync(copy, "r"), fsyncSync);
  });
  syncFolder(path.dirname(copy));
}
