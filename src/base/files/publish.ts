import { copyFileSync, constants, lstatSync, renameSync } from "node:fs";
import path from "node:path";
import { fail } from "../failure.ts";
import { errorCode, writeFailure } from "./file-errors.ts";
import { checkHeld, type FileLock } from "./file-lock.ts";
import { type FileIdentity, isSameFile } from "./paths.ts";
import { syncFile, syncFolder } from "./synced-file.ts";

/** A lock for an entire directory, and its name for messages. */
export interface FolderLock extends Pick<FileLock, "isHeld" | "id"> {
  readonly file: string;
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
  lock: FolderLock,
  staged: string,
  target: string,
  expected: FileIdentity | undefined,
): void {
  checkHeld(lock, lock.file);
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
export function keepCopy(lock: FolderLock, file: string, copy: string): void {
  checkHeld(lock, lock.file);
  try {
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
  } catch (cause) {
    throw writeFailure("output", copy, cause);
  }
  syncFile(copy);
  syncFolder(path.dirname(copy));
}
