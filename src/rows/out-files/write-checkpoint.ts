import { closeSync, constants, ftruncateSync, rmSync, writeFileSync } from "node:fs";
import type { Failure } from "../../base/failure.ts";
import { writeFailure } from "../../base/files/file-errors.ts";
import { openRegular } from "../../base/files/paths.ts";
import { removeStaged, replaceWithText } from "../../base/files/replace-file.ts";
import { checkpointOf } from "../out-file.ts";
import type { CheckpointHeader, CheckpointLine, WrittenFile } from "../checkpoint-lines.ts";

/** Replaces an older checkpoint atomically. Even if the process is killed, the file always has a complete header. */
export function beginCheckpoint(file: string, header: CheckpointHeader, random: () => number) {
  const path = checkpointOf(file);
  try {
    replaceWithText(random, path, `${JSON.stringify(header)}\n`, { mode: 0o600 });
    return openCheckpoint(file);
  } catch (cause) {
    throw unwritten(path, cause);
  }
}

export function continueCheckpoint(file: string, length: number) {
  const path = checkpointOf(file);
  try {
    // On Windows, a file cannot be truncated through a handle that can only append.
    const descriptor = openRegular(path, constants.O_RDWR);
    try {
      ftruncateSync(descriptor, length);
    } finally {
      closeSync(descriptor);
    }
    return openCheckpoint(file);
  } catch (cause) {
    throw unwritten(path, cause);
  }
}

/** Call this when the pull of an earlier run is complete. */
export function removeCheckpoint(file: string): void {
  const path = checkpointOf(file);
  rmSync(path, { force: true });
  removeStaged(path);
}

/** Writes a pull's checkpoint. A line follows each page, in row order. */
function openCheckpoint(file: string) {
  const path = checkpointOf(file);
  const descriptor = openRegular(path, constants.O_WRONLY | constants.O_APPEND);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  const append = (line: object): void => {
    try {
      writeFileSync(descriptor, `${JSON.stringify(line)}\n`);
    } catch (cause) {
      throw unwritten(path, cause);
    }
  };
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

function unwritten(path: string, cause: unknown): Failure {
  return writeFailure("output", path, cause, "check the permissions of the file and its directory");
}
