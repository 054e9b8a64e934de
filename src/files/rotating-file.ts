import { type FileHandle, open, stat } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../context/context.ts";
import { cannotBeWritten, diskAdvice, errorCode, writeAdvice } from "./file-errors.ts";
import { fail, type Failure } from "../contract/failure.ts";
import { lookAt, makeFolder } from "./paths.ts";
import { isSameFile } from "./regular-file.ts";
import { fileOf, fixedFolder } from "./file-pattern.ts";
import { repairPartialLine, type TornLine } from "./last-lines.ts";
import { checkFile, checkFolder, isUnfinished, targetOf } from "./out/out-file.ts";

export type RotatingFile = Awaited<ReturnType<typeof openRotatingFile>>;

/** Rejects an invalid pattern, a missing directory, and anything but a regular file before a request is sent. */
export function checkOutPattern(pattern: string, now: number): void {
  const label = `--out "${pattern}"`;
  const file = fileOf(pattern, now);
  const folder = fixedFolder(pattern);
  checkFolder(label, folder, lookAt(folder));
  checkFile(label, lookAt(file), "omit --out, and redirect the output with >");
}

/** In milliseconds. */
const checkIntervalMs = 1000;

/**
 * Appends lines and never replaces a file, because stopped streams are usually restarted. The current file is opened at
 * once, so that errors precede any request. If logrotate moves the file, a new one is created within a second.
 */
export async function openRotatingFile(
  pattern: string,
  clock: Pick<Clock, "now" | "elapsed" | "sleep">,
  onRepair: (file: string, torn: TornLine) => void,
  hasPrefix = false,
) {
  checkOutPattern(pattern, clock.now());
  const openAt = async (file: string) => {
    const handle = await openToAppend(file);
    const torn = await repairPartialLine(handle, file, clock, hasPrefix).catch(async (cause: unknown) => {
      await handle.close();
      throw cause;
    });
    if (torn !== undefined) onRepair(file, torn);
    return { file, handle };
  };

  let current: Awaited<ReturnType<typeof openAt>> | undefined = await openAt(fileOf(pattern, clock.now()));
  let checkedAt = clock.elapsed();
  /** Whether the name no longer refers to the open file. */
  const isGone = async (file: string, handle: FileHandle): Promise<boolean> => {
    if (clock.elapsed() - checkedAt < checkIntervalMs) return false;
    checkedAt = clock.elapsed();
    const exactly = { bigint: true } as const;
    const [named, opened] = await Promise.all([
      stat(file, exactly).catch(() => undefined),
      handle.stat(exactly),
    ]);
    return named === undefined || !isSameFile(named, opened);
  };
  const append = async (text: string | Uint8Array, receivedAt: number): Promise<void> => {
    const file = fileOf(pattern, receivedAt);
    if (current?.file !== file || (await isGone(file, current.handle))) {
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
  /** Several connections share the file. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    isTerminal: false,
    columns: undefined,
    /** Writes complete lines. `receivedAt` is in milliseconds, defaults to now and selects the file. */
    write: (text: string | Uint8Array, receivedAt = clock.now()) => inTurn(() => append(text, receivedAt)),
    /** Resolves when everything has been saved to disk. */
    close: () => inTurn(leave),
  };
}

async function openToAppend(file: string): Promise<FileHandle> {
  try {
    makeFolder(path.dirname(file));
    return await open(file, "a+", 0o666);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/** Uses one system call, so that no other process writes in between. `appendFile` makes one call per 512 KiB. */
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
    next: full === undefined ? writeAdvice(cause) : `${full}; existing lines are preserved`,
    cause,
  });
}

/** Resuming an unfinished pull would remove the stream's rows. `now` is in milliseconds since the epoch. */
export function refuseUnfinished(pattern: string, now: number): void {
  const file = targetOf(fileOf(pattern, now));
  if (!isUnfinished(file)) return;
  throw fail("unfinished", `${file} has an unfinished pull`, {
    next: "finish that pull with --resume first, or name another file",
  });
}
