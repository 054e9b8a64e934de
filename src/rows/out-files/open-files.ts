import { type FileHandle, open, stat } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../../base/context/context.ts";
import { fail, type Failure } from "../../base/failure.ts";
import { cannotBeWritten, diskAdvice, errorCode, writeAdvice } from "../../base/files/file-errors.ts";
import { repairPartialLine, type TornLine } from "../../base/files/last-lines.ts";
import { refuseUnfinished } from "../out-file.ts";
import { isSameFile, isTaken, makeFolder } from "../../base/files/paths.ts";

/** In milliseconds. Files are closed if they have not been used for this long and another one is opened. */
const [checkIntervalMs, idleMs] = [1000, 60_000];
/** Many systems allow 1024 in a process. */
const maxOpen = 256;

interface OpenFile {
  readonly handle: FileHandle;
  checkedAt: number;
  usedAt: number;
}

/** The files to which lines are appended. One call must end before the next one begins. */
export function createOpenFiles(
  clock: Pick<Clock, "elapsed" | "sleep">,
  onRepair: (file: string, torn: TornLine) => void,
  hasPrefix: boolean,
) {
  /** The file that was used last is the last entry. */
  const files = new Map<string, OpenFile>();
  const openAt = async (file: string): Promise<OpenFile> => {
    refuseUnfinished(file);
    await makeRoom();
    const handle = await openToAppend(file);
    const torn = await repairPartialLine(handle, file, clock, hasPrefix).catch(async (cause: unknown) => {
      await handle.close();
      throw cause;
    });
    if (torn !== undefined) onRepair(file, torn);
    const opened = { handle, checkedAt: clock.elapsed(), usedAt: clock.elapsed() };
    files.set(file, opened);
    return opened;
  };
  /** Saving a file to disk takes milliseconds, so a file that may soon be opened again is only closed. */
  const makeRoom = async (): Promise<void> => {
    for (const [file, { usedAt, handle }] of files) {
      if (clock.elapsed() - usedAt >= idleMs) await leave(file);
      else if (files.size < maxOpen) break;
      else {
        files.delete(file);
        await handle.close();
      }
    }
  };
  /** Whether the name no longer refers to the open file. */
  const isGone = async (file: string, opened: OpenFile): Promise<boolean> => {
    if (clock.elapsed() - opened.checkedAt < checkIntervalMs) return false;
    opened.checkedAt = clock.elapsed();
    return (await sizeIfNamed(file, opened.handle)) === undefined;
  };
  const append = async (text: string | Uint8Array, file: string): Promise<void> => {
    let opened = files.get(file);
    if (opened !== undefined && (await isGone(file, opened))) {
      await leave(file);
      opened = undefined;
    }
    opened ??= await openAt(file);
    files.delete(file);
    files.set(file, opened);
    opened.usedAt = clock.elapsed();
    await appendAll(opened.handle, text).catch((cause: unknown) => {
      throw unwritable(file, cause);
    });
  };
  const leave = async (file: string): Promise<void> => {
    const left = files.get(file);
    files.delete(file);
    try {
      await left?.handle.sync();
    } finally {
      await left?.handle.close();
    }
  };
  const leaveAll = async (): Promise<void> => {
    const left = await Promise.allSettled(Array.from(files.keys(), leave));
    for (const each of left) if (each.status === "rejected") throw each.reason;
  };
  return {
    open: openAt,
    append,
    /** Saves the open files and those named to disk. Returns their sizes. */
    sync: async (names: Iterable<string>) => await syncAll(files, names),
    /** Resolves when everything has been saved to disk. */
    close: leaveAll,
  };
}

/** Undefined if the name no longer refers to the open file, because another program has moved it away. */
async function sizeIfNamed(file: string, handle: FileHandle): Promise<number | undefined> {
  const exactly = { bigint: true } as const;
  const [named, found] = await Promise.all([
    stat(file, exactly).catch(() => undefined),
    handle.stat(exactly),
  ]);
  return named !== undefined && isSameFile(named, found) ? Number(found.size) : undefined;
}

async function syncAll(
  files: ReadonlyMap<string, OpenFile>,
  names: Iterable<string>,
): Promise<Readonly<Record<string, number>>> {
  const sizes: Record<string, number> = {};
  const save = async (file: string, handle: FileHandle): Promise<void> => {
    await handle.sync();
    const size = await sizeIfNamed(file, handle);
    if (size !== undefined) sizes[file] = size;
  };
  for (const [file, { handle }] of files) await save(file, handle);
  for (const file of names) {
    // Another program may have moved or deleted it since it was closed.
    if (files.has(file) || !isTaken(file)) continue;
    const handle = await open(file, "a");
    await save(file, handle).finally(() => handle.close());
  }
  return sizes;
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

export function unwritable(file: string, cause: unknown): Failure {
  const full = diskAdvice(cause);
  const isDisk = full !== undefined || errorCode(cause) === "EIO";
  return fail("output", `--out "${file}": ${cannotBeWritten(cause)}`, {
    ...(!isDisk && { exit: 2 }),
    next: full === undefined ? writeAdvice(cause) : `${full}; existing lines are preserved`,
    cause,
  });
}
