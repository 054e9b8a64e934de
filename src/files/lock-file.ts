import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { errorCode } from "./error-code.ts";
import { fail, Failure, usageFailure } from "../contract/failure.ts";
import { diskAdvice, fileFault } from "./file-fault.ts";
import { openRegular } from "./regular-file.ts";
import { stageFile } from "./staged-file.ts";

/** The lock of some process, as it is on the disk. */
export interface FoundLock {
  /** Empty while its holder writes it; undefined where this user may not read it. */
  readonly text: string | undefined;
  /** Milliseconds, by the clock of the file system. */
  readonly writtenAt: number;
}

/** Far more than a token needs. */
const maxBytes = 4096;

/** The descriptor of a new lock with that text; undefined where the lock exists. */
export function createLock(path: string, text: string): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "wx", 0o644);
    writeFileSync(descriptor, text);
    return descriptor;
  } catch (error) {
    // On a full disk an empty lock would stay, and no process could tell whose it is.
    if (descriptor !== undefined) {
      closeSync(descriptor);
      removeLock(path);
    }
    const code = errorCode(error);
    if (code === "EEXIST") return undefined;
    // Windows reports this while a file of that name is being deleted.
    if (code === "EPERM" && readLock(path) !== undefined) return undefined;
    throw lockFailure(path, `cannot be created (${fileFault(error)})`, error);
  }
}

/** Undefined where there is none. Throws a failure where a link, directory, pipe or device has the name. */
export function readLock(path: string): FoundLock | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(path, constants.O_RDONLY);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const stat = errorCode(error) === "ENOENT" ? undefined : statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : { text: undefined, writtenAt: stat.mtimeMs };
  }
  try {
    const bytes = Buffer.alloc(maxBytes);
    const text = bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, maxBytes, 0));
    return { text, writtenAt: fstatSync(descriptor).mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

export function isSameLock(one: FoundLock | undefined, other: FoundLock): boolean {
  return one?.text === other.text && one?.writtenAt === other.writtenAt;
}

/**
 * Milliseconds since the lock was written, by the clock of its file system alone: the lock's time is compared with that
 * of a file which is created beside it. 0 where none can be created.
 */
export function ageOf(random: () => number, path: string, { writtenAt }: FoundLock): number {
  try {
    const probe = stageFile(random, path, "", { mode: 0o600 });
    const now = statSync(probe, { throwIfNoEntry: false })?.mtimeMs ?? writtenAt;
    removeLock(probe);
    return now - writtenAt;
  } catch {
    return 0;
  }
}

/** The system's error where this user may not remove it. It may have been removed by another process meanwhile. */
export function removeLock(path: string): unknown {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (["EACCES", "EPERM"].includes(errorCode(cause))) return cause;
  }
  return undefined;
}

/** As `removeLock`. To wait for a lock that will never go away would help nobody. */
export function removeAbandonedLock(path: string): void {
  const refused = removeLock(path);
  if (refused === undefined) return;
  throw usageFailure(
    `cannot remove the abandoned lock ${path}: ${fileFault(refused)}`,
    "delete it as the user who owns it",
  );
}

export function lockFailure(path: string, problem: string, cause?: unknown): Failure {
  const isTaken = cause === undefined;
  const next = isTaken
    ? `try again; if no other dexdata is running, delete ${path}`
    : (diskAdvice(cause) ?? "check the folder's permissions");
  return fail(isTaken ? "settings_locked" : "settings", `${path} ${problem}`, { next, cause });
}
