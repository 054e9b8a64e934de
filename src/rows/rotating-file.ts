import { accessSync, constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import path from "node:path";
import { createQueue } from "../base/concurrent.ts";
import type { Clock } from "../base/context/context.ts";
import { checkFields, fileOf, fixedFolder, hasNames, type PathNames } from "../base/files/file-pattern.ts";
import { repairPartialLine, type TornLine } from "../base/files/last-lines.ts";
import { isSameFile, isTaken, lookAt, makeFolder } from "../base/files/paths.ts";
import { checkFile, checkFolder, refuseUnfinished, unwritable } from "./out-file.ts";
import { explained } from "./out-files/row-file.ts";

export type RotatingFile = Awaited<ReturnType<typeof openRotatingFile>>;

/**
 * Rejects an invalid pattern, a missing directory, and anything but a regular file before a request is sent. `names` are
 * the fields that the rows have.
 */
export function checkOutPattern(pattern: string, now: number, names: readonly string[]): void {
  const label = labelOf(pattern);
  checkFields(pattern, names);
  const file = fileOf(pattern, now);
  const folder = fixedFolder(pattern);
  checkFolder(label, folder, lookAt(folder));
  if (hasNames(pattern)) {
    try {
      accessSync(folder, constants.W_OK);
    } catch (cause) {
      throw unwritable(labelOf(folder), cause);
    }
  } else checkFile(label, lookAt(file), "omit --out, and redirect the output with >");
}

/** In milliseconds. Files are closed if they have not been used for this long and another one is opened. */
const [checkIntervalMs, idleMs] = [1000, 60_000];
/** Many systems allow 1024 in a process. */
const maxOpen = 256;

interface OpenFile {
  readonly handle: FileHandle;
  checkedAt: number;
  usedAt: number;
}

/**
 * Appends lines and never replaces a file, because stopped streams are usually restarted. If the name depends only on
 * the time, the file for the time `start`, in milliseconds, is opened at once, so that errors precede any request. If
 * logrotate moves a file, a new one is created within a second.
 */
export async function openRotatingFile(
  pattern: string,
  clock: Pick<Clock, "now" | "elapsed" | "sleep">,
  onRepair: (file: string, torn: TornLine) => void,
  hasPrefix: boolean,
  start: number,
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
  const append = async (text: string | Uint8Array, file: string): Promise<void> => {
    let opened = files.get(file);
    if (opened !== undefined && (await isGone(file, opened, clock))) {
      await leave(file);
      opened = undefined;
    }
    opened ??= await openAt(file);
    files.delete(file);
    files.set(file, opened);
    opened.usedAt = clock.elapsed();
    await explained(labelOf(file), appendAll(opened.handle, text));
  };
  const leave = async (file: string): Promise<void> => {
    const left = files.get(file);
    files.delete(file);
    try {
      if (left !== undefined) await explained(labelOf(file), left.handle.sync());
    } finally {
      await left?.handle.close();
    }
  };
  const close = async (): Promise<void> => {
    const left = await Promise.allSettled(Array.from(files.keys(), leave));
    for (const each of left) if (each.status === "rejected") throw each.reason;
  };
  if (!hasNames(pattern)) await openAt(fileOf(pattern, start));
  // Several connections share the files.
  const inTurn = createQueue();
  return {
    isTerminal: false,
    columns: undefined,
    /** Writes complete lines. `time` is in milliseconds and selects the file together with the names. */
    write: (text: string | Uint8Array, time = clock.now(), names: PathNames = {}) =>
      inTurn(() => append(text, fileOf(pattern, time, names))),
    /** Saves the open files and those named to disk. Returns their sizes. */
    sync: (names: Iterable<string>) => inTurn(() => syncAll(files, names)),
    /** Resolves when everything has been saved to disk. */
    close: () => inTurn(close),
  };
}

/** Looks at most once a second. */
async function isGone(file: string, opened: OpenFile, clock: Pick<Clock, "elapsed">): Promise<boolean> {
  if (clock.elapsed() - opened.checkedAt < checkIntervalMs) return false;
  opened.checkedAt = clock.elapsed();
  return (await sizeIfNamed(file, opened.handle)) === undefined;
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
    await explained(labelOf(file), handle.sync());
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
    throw unwritable(labelOf(file), cause);
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

const labelOf = (file: string): string => `--out "${file}"`;
