import { type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import path from "node:path";
import type { Clock, Output } from "../context/context.ts";
import { errorCode } from "./error-code.ts";
import { cannotBeWritten, diskAdvice, writeAdvice } from "./file-fault.ts";
import { fail, type Failure, usageFailure } from "../contract/failure.ts";
import { makeFolder } from "./make-folder.ts";
import { isSameFile } from "./same-file.ts";
import { fileOf, fixedFolder } from "./file-pattern.ts";
import { repairLastLine, type TornLine } from "./torn-line.ts";

/** An output into files that change with time. */
export interface RotatingFile extends Output {
  /** Whole lines. They go to the file of the instant they were received at, in milliseconds; now when not given. */
  readonly write: (text: string | Uint8Array, receivedAt?: number) => Promise<void>;
  /** What was written is on the disk then. */
  readonly close: () => Promise<void>;
}

/** Refused before anything is sent: a pattern that means nothing, a folder that is not there, a file that is none. */
export function checkOutPattern(pattern: string, now: number): void {
  const label = `--out "${pattern}"`;
  const file = fileOf(pattern, now);
  if (!isFolder(fixedFolder(pattern))) {
    throw usageFailure(
      `${label}: there is no folder ${fixedFolder(pattern)}`,
      "make it first, or name another file",
    );
  }
  const found = look(file);
  if (found?.isDirectory() === true) throw usageFailure(`${label}: is a folder`, "name a file in it");
  if (found?.isFile() === false)
    throw usageFailure(`${label}: is no regular file`, "leave --out out, and send the output there with >");
}

/** Milliseconds between two looks whether the file is still the one of that name. */
const lookGap = 1000;

/**
 * Lines are added to what a file holds, never instead of it: a tail that was stopped is started again. The file of now
 * is opened at once, so that one that cannot be written is known before anything is asked for. One that is moved away
 * or removed, as logrotate does, is left within a second of lines, and made anew.
 */
export async function openRotatingFile(
  pattern: string,
  clock: Pick<Clock, "now" | "elapsed" | "sleep">,
  onRepair: (file: string, torn: TornLine) => void,
): Promise<RotatingFile> {
  checkOutPattern(pattern, clock.now());
  const openAt = async (file: string): Promise<Opened> => {
    const handle = await openToAppend(file);
    const torn = await repairLastLine(handle, file, clock).catch(async (cause: unknown) => {
      await handle.close();
      throw cause;
    });
    if (torn !== undefined) onRepair(file, torn);
    return { file, handle };
  };

  let current: Opened | undefined = await openAt(fileOf(pattern, clock.now()));
  let looked = clock.elapsed();
  const isGone = async (opened: Opened): Promise<boolean> => {
    if (clock.elapsed() - looked < lookGap) return false;
    looked = clock.elapsed();
    return !(await isSame(opened));
  };
  const append = async (text: string | Uint8Array, receivedAt: number): Promise<void> => {
    const file = fileOf(pattern, receivedAt);
    if (current?.file !== file || (await isGone(current))) {
      await leave();
      current = await openAt(file);
    }
    await appendAll(current.handle, text).catch((cause: unknown) => {
      throw unwritable(file, cause);
    });
  };
  const leave = async (): Promise<void> => {
    const left = current;
    current = undefined;
    try {
      await left?.handle.sync();
    } finally {
      await left?.handle.close();
    }
  };

  let last: Promise<void> = Promise.resolve();
  /** One after another: several connections share the file. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    isTerminal: false,
    columns: undefined,
    write: (text, receivedAt = clock.now()) => inTurn(() => append(text, receivedAt)),
    close: () => inTurn(leave),
  };
}

interface Opened {
  readonly file: string;
  readonly handle: FileHandle;
}

/** Whether the name still leads to what is open. */
async function isSame({ file, handle }: Opened): Promise<boolean> {
  const exactly = { bigint: true } as const;
  const looks = [stat(file, exactly).catch(() => undefined), handle.stat(exactly)] as const;
  const [named, opened] = await Promise.all(looks);
  return named !== undefined && isSameFile(named, opened);
}

async function openToAppend(file: string): Promise<FileHandle> {
  try {
    makeFolder(path.dirname(file));
    return await open(file, "a+", 0o666);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/**
 * Writes in one system call, however long the text is, so that no other process can write in between. `appendFile` makes
 * one call per 512 KiB: two processes that append to one file would split each other's lines.
 */
async function appendAll(handle: FileHandle, text: string | Uint8Array): Promise<void> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written);
    written += bytesWritten;
  }
}

function unwritable(file: string, cause: unknown): Failure {
  const full = diskAdvice(cause);
  const isDisk = full !== undefined || errorCode(cause) === "EIO";
  return fail("output", `--out "${file}": ${cannotBeWritten(cause)}`, {
    ...(!isDisk && { exit: 2 }),
    next: full === undefined ? writeAdvice(cause) : `${full}; what is there is kept`,
    cause,
  });
}

function isFolder(folder: string): boolean {
  return look(folder)?.isDirectory() === true;
}

/** Undefined where nothing is; whatever else is wrong with a name is told when it is opened. */
function look(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
