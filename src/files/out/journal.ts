import { closeSync, constants, ftruncateSync, rmSync, writeFileSync } from "node:fs";
import type { Failure } from "../../contract/failure.ts";
import { writeFailure } from "../file-fault.ts";
import { openRegular } from "../regular-file.ts";
import { replaceWithText } from "../replace-file.ts";
import type { CheckpointHeader, Progress } from "./checkpoint.ts";
import { journalOf } from "./out-file.ts";

/** The checkpoint of a pull while it is written: a line after every page, in the order of the rows. */
export interface Journal {
  /** Call this when the rows are in the file. */
  readonly note: (progress: Progress) => void;
  /** All rows are in the file, which now has its final size in bytes. */
  readonly end: (bytes: number) => void;
  readonly close: () => void;
  /** The output is complete, and nothing is left to continue. */
  readonly remove: () => void;
}

/** Replaces an older journal atomically: whenever the process is killed, a complete header is there. */
export function beginJournal(file: string, header: CheckpointHeader, random: () => number): Journal {
  const path = journalOf(file);
  try {
    replaceWithText(random, path, `${JSON.stringify(header)}\n`, { mode: 0o600 });
    return journal(path, openRegular(path, constants.O_WRONLY | constants.O_APPEND));
  } catch (cause) {
    throw unwritten(path, cause);
  }
}

/** Continues after its first `length` bytes. */
export function continueJournal(file: string, length: number): Journal {
  const path = journalOf(file);
  try {
    // Windows does not truncate a file through a handle that can only append.
    const descriptor = openRegular(path, constants.O_RDWR);
    try {
      ftruncateSync(descriptor, length);
    } finally {
      closeSync(descriptor);
    }
    return journal(path, openRegular(path, constants.O_WRONLY | constants.O_APPEND));
  } catch (cause) {
    throw unwritten(path, cause);
  }
}

function journal(path: string, descriptor: number): Journal {
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
    note: append,
    end: (bytes) => append({ complete: bytes }),
    close,
    remove: () => {
      close();
      rmSync(path, { force: true });
    },
  };
}

function unwritten(path: string, cause: unknown): Failure {
  return writeFailure("output", path, cause, "check the permissions of the file and its directory");
}
