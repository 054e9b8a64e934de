import type { Hash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type { Output } from "../../base/context/context.ts";
import { cutFile } from "../../base/files/last-lines.ts";
import {
  carefully,
  checkRegular,
  isSameFile,
  isTaken,
  openRegular,
  removeFile,
  withDescriptor,
} from "../../base/files/paths.ts";
import { describeFileError, errorCode, explainedWrite, writeFailure } from "../../base/files/file-errors.ts";
import { fail, type Failure, type FailureDetails } from "../../base/failure.ts";
import { giveNewName, keepMode, removeStaged, replaceWithText } from "../../base/files/replace-file.ts";
import type { CheckpointHeader, CheckpointLine, WrittenFile } from "../checkpoint-lines.ts";
import { checkpointOf, unwritable } from "../out-file.ts";

/** `hash` covers the earlier bytes. Omit it if possible: hashing takes up 10% of a local pull to stdout. */
export function countedSink(write: Output["write"], bytesBefore = 0, hash?: Hash) {
  let bytes = bytesBefore;
  return {
    write: async (text: string | Uint8Array): Promise<void> => {
      hash?.update(text);
      bytes += typeof text === "string" ? Buffer.byteLength(text) : text.length;
      await write(text);
    },
    /** Including the bytes that earlier runs wrote. */
    bytes: () => bytes,
    /** The hash of all bytes, in hexadecimal; undefined if the sink does not compute it. */
    sha256: () => hash?.copy().digest("hex"),
  };
}

/**
 * Fails if the file exists. Rows are always appended: with fixed positions, the system would zero-fill any part that
 * another program cut off. Messages start with `label`. `kept` is the mode of the new file.
 */
export async function createRowFile(file: string, label: string, kept?: number) {
  try {
    // Synchronous, because an asynchronous `open` could create the file after another process has taken over the lock.
    closeSync(openSync(file, "ax", kept ?? 0o666));
    const handle = await open(file, "a+");
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

/** Removes an incomplete row after the first `bytes` bytes. */
export async function continueRowFile(file: string, label: string, bytes: number) {
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

/** No other process should change the file. */
function rowFile(handle: FileHandle, file: string, label: string) {
  return {
    write: (text: string | Uint8Array) => explained(label, handle.writeFile(text)),
    /**
     * Throws if another program has changed, moved or replaced the file, because the run must then not report success.
     * `bytes` is the expected size. The returned stats identify the file.
     */
    verify: (bytes: number) => {
      const written = fstatSync(handle.fd, { bigint: true });
      checkPlace(file, written);
      checkSize(file, written, bytes);
      return written;
    },
    /** Resolves when the rows have been saved to disk. */
    sync: () => explained(label, handle.sync()),
    /** Can be called more than once. */
    close: async () => {
      if (handle.fd !== -1) await handle.close();
    },
  };
}

/** `part` contains all rows. An existing file is replaced only if `mayReplace` is set. */
export async function placePart(
  part: string,
  file: string,
  mayReplace: boolean,
  written: BigIntStats,
): Promise<void> {
  try {
    if (mayReplace) await rename(part, file);
    else await giveNewName(part, file);
  } catch (cause) {
    notPlaced(part, file, cause, !mayReplace && isTaken(file));
  }
  // Another program may have replaced the part or the file just before this check.
  checkSize(file, checkPlace(file, written), Number(written.size));
}

function notPlaced(part: string, file: string, cause: unknown, isOther: boolean): never {
  const why = isOther ? "another program created it during the pull" : describeFileError(cause);
  throw fail("output", `cannot write ${file}: ${why}; the rows are complete in ${part}`, {
    next: `move ${file} out of the way`,
    cause,
  });
}

/** Throws if this is not the file that was written. */
function checkPlace(file: string, written: BigIntStats): BigIntStats {
  const there = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (there !== undefined && isSameFile(there, written)) return there;
  throw changed(
    `${file} was moved, deleted or replaced by another program during the pull`,
    there === undefined ? {} : damaged,
  );
}

function checkSize(file: string, { size }: BigIntStats, bytes: number): void {
  if (size === BigInt(bytes)) return;
  throw changed(
    `${file} was changed by another program during the pull: it has ${size} bytes instead of ${bytes}`,
    damaged,
  );
}

/** The rows do not match the checkpoint. If they had been deleted, --resume would pull them again. */
const damaged = { isDamaged: true, next: "start over with --force" };

function changed(message: string, more: Pick<FailureDetails, "isDamaged" | "next">): Failure {
  return fail("output", message, { next: undefined, ...more });
}

/** If writing to an open file fails, the problem is the disk and not the command. */
export async function explained(label: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (cause) {
    throw writeFailure("output", `${label}:`, cause);
  }
}

const checkpointAdvice = "check the permissions of the file and its directory";

/** Replaces an older checkpoint atomically. Even if the process is killed, the file always has a complete header. */
export function beginCheckpoint(file: string, header: CheckpointHeader, random: () => number) {
  const path = checkpointOf(file);
  const text = `${JSON.stringify(header)}\n`;
  explainedWrite(path, () => replaceWithText(random, path, text, { mode: 0o600 }), checkpointAdvice);
  return openCheckpoint(file);
}

export function continueCheckpoint(file: string, length: number) {
  const path = checkpointOf(file);
  // On Windows, a file cannot be truncated through a handle that can only append.
  const cut = (): void =>
    withDescriptor(openRegular(path, constants.O_RDWR), (descriptor) => ftruncateSync(descriptor, length));
  explainedWrite(path, cut, checkpointAdvice);
  return openCheckpoint(file);
}

/** Call this when the pull of an earlier run is complete. */
export function removeCheckpoint(file: string): void {
  const path = checkpointOf(file);
  removeFile(path);
  removeStaged(path);
}

/** Writes a pull's checkpoint. A line follows each page, in row order. */
function openCheckpoint(file: string) {
  const path = checkpointOf(file);
  const toAppend = constants.O_WRONLY | constants.O_APPEND;
  const descriptor = explainedWrite(path, () => openRegular(path, toAppend), checkpointAdvice);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  const append = (line: object): void =>
    explainedWrite(path, () => writeFileSync(descriptor, `${JSON.stringify(line)}\n`), checkpointAdvice);
  return {
    /** Call this after the rows have been written to the file. */
    append: (progress: CheckpointLine) => append(progress),
    /** Call this after all rows have been written. `bytes` is the final size of the file that contains them. */
    end: (bytes: number, files?: readonly WrittenFile[]) => append({ complete: bytes, files }),
    close,
    /** Call this when there is nothing left to continue. */
    remove: () => {
      close();
      removeCheckpoint(file);
    },
  };
}
