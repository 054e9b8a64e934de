import { createHash } from "node:crypto";
import { type BigIntStats, constants, fstatSync, lstatSync, readSync } from "node:fs";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { cutFile } from "../cut-file.ts";
import { errorCode } from "../error-code.ts";
import { fail, type Failure, type FailureDetails } from "../../contract/failure.ts";
import { cannotBeWritten, diskAdvice, fileFault } from "../file-fault.ts";
import { keepMode } from "../kept-mode.ts";
import { carefully, checkRegular } from "../regular-file.ts";
import { isSameFile } from "../same-file.ts";
import { unwritable } from "./check-out-file.ts";

/** A file that this run adds rows to, and no other process is expected to touch. */
export interface RowFile {
  readonly write: (text: string | Uint8Array) => Promise<void>;
  /**
   * Throws where another program has truncated, extended, moved or replaced it, which a run must not report as success.
   * `bytes`: what it should hold; `least` where the last write may have failed. Gives what sets it apart from other files.
   */
  readonly verify: (bytes: number, least?: number) => BigIntStats;
  /** SHA-256 over the last bytes before `bytes`, in hex. */
  readonly endHash: (bytes: number) => string;
  /** Its rows are on the disk then. */
  readonly sync: () => Promise<void>;
  /** May be called again. */
  readonly close: () => Promise<void>;
}

/**
 * Creates it; a file of that name is an error. Rows are always added at its end: a position of its own would fill what
 * another program truncated with zeros, and the size would look right. `label` begins the messages, `kept` are its
 * permissions.
 */
export async function createRowFile(file: string, label: string, kept?: number): Promise<RowFile> {
  try {
    const handle = await open(file, "ax+", kept ?? 0o666);
    try {
      keepMode(handle.fd, kept);
    } catch (cause) {
      await handle.close();
      await rm(file, { force: true });
      throw cause;
    }
    return rowFile(handle, file, label);
  } catch (cause) {
    if (errorCode(cause) === "EEXIST")
      throw changed(`${file} was created by another program during the pull`, {
        next: "move it out of the way, or name another file",
      });
    throw unwritable(label, cause);
  }
}

/** Adds rows behind the first `bytes`; an incomplete row behind them is cut off. */
export async function continueRowFile(file: string, label: string, bytes: number): Promise<RowFile> {
  let handle: FileHandle | undefined;
  try {
    checkRegular(file);
    handle = await open(file, constants.O_RDWR | constants.O_APPEND | carefully);
    await cutFile(handle, file, bytes);
    return rowFile(handle, file, label);
  } catch (cause) {
    await handle?.close();
    throw unwritable(label, cause);
  }
}

/** Bytes at the end of the rows that a checkpoint is compared with where the whole file is not hashed. */
const endBytes = 64 * 1024;

/** SHA-256 over the last bytes before `bytes`, in hex. */
export function hashEnd(descriptor: number, bytes: number): string {
  const end = Buffer.alloc(Math.min(endBytes, bytes));
  const read = readSync(descriptor, end, 0, end.length, bytes - end.length);
  return createHash("sha256").update(end.subarray(0, read)).digest("hex");
}

function rowFile(handle: FileHandle, file: string, label: string): RowFile {
  return {
    write: (text) => explained(label, handle.writeFile(text)),
    verify: (bytes, least) => {
      const written = fstatSync(handle.fd, { bigint: true });
      checkPlace(file, written);
      checkSize(file, written, bytes, least);
      return written;
    },
    endHash: (bytes) => hashEnd(handle.fd, bytes),
    sync: () => explained(label, handle.sync()),
    close: async () => {
      if (handle.fd !== -1) await handle.close();
    },
  };
}

/** Gives the complete rows in `part` the name `file`. A file of that name is replaced only where it may be. */
export async function placePart(
  part: string,
  file: string,
  mayReplace: boolean,
  written: BigIntStats,
): Promise<void> {
  if (mayReplace) await rename(part, file).catch((cause: unknown) => notPlaced(part, file, cause));
  else await linkPart(part, file);
  // Another program may have exchanged the part, or the file, in the moment before.
  checkSize(file, checkPlace(file, written), Number(written.size));
}

async function linkPart(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
  } catch (cause) {
    const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if (isThere) return notPlaced(part, file, cause, "another program created it during the pull");
    // Not every file system has links.
    return await rename(part, file).catch((refused: unknown) => notPlaced(part, file, refused));
  }
  await rm(part);
}

function notPlaced(part: string, file: string, cause: unknown, why = fileFault(cause)): never {
  throw fail("output", `cannot write ${file}: ${why}; the rows are complete in ${part}`, {
    next: `move ${file} out of the way`,
    cause,
  });
}

/** What the name leads to, which must be the file that was written. */
function checkPlace(file: string, written: BigIntStats): BigIntStats {
  const there = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (there !== undefined && isSameFile(there, written)) return there;
  throw changed(
    `${file} was moved, deleted or replaced by another program during the pull`,
    there === undefined ? {} : damaged,
  );
}

function checkSize(file: string, { size }: BigIntStats, bytes: number, least = bytes): void {
  if (size >= BigInt(least) && size <= BigInt(bytes)) return;
  throw changed(
    `${file} was changed by another program during the pull: it has ${size} bytes instead of ${bytes}`,
    damaged,
  );
}

/** Of rows that are not as the checkpoint describes them. Where they were deleted, --resume pulls them again. */
const damaged = { isDamaged: true, next: "start over with --force" };

function changed(message: string, more: Pick<FailureDetails, "isDamaged" | "next">): Failure {
  return fail("output", message, { next: undefined, ...more });
}

/** A write to an open file that fails is a problem of the disk, not of the command. */
async function explained(label: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (cause) {
    throw fail("output", `${label}: ${cannotBeWritten(cause)}`, {
      next: diskAdvice(cause),
      cause,
    });
  }
}
