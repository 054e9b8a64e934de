import { createHash, type Hash } from "node:crypto";
import { type BigIntStats, createReadStream, lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { pid } from "node:process";
import type { Output } from "../model/context.ts";
import { cutFile } from "../model/cut-file.ts";
import { errorCode } from "../model/error-code.ts";
import { cannotBeWritten, diskAdvice, fileFault, writeAdvice } from "../model/file-fault.ts";
import { Failure, usageFailure } from "../model/failure.ts";
import { keepMode, modeOf } from "../model/kept-mode.ts";
import { isSameFile } from "../model/same-file.ts";

/** Where the rows of a pull go, counted and hashed on their way. */
export interface Sink {
  readonly write: (text: string | Uint8Array) => Promise<void>;
  /** Bytes written in all, also by the runs before. */
  readonly bytes: () => number;
  /** SHA-256 over all of them, in hex; only of a sink that was told to hash. */
  readonly sha256: () => string;
  /** The output is whole. */
  readonly finish: () => Promise<void>;
  /** It is not, and will not be. What a file keeps then is the sink's part. */
  readonly abandon: () => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

export function toOutput(output: Output, isHashed: boolean): Sink {
  return counted(newHash(isHashed), 0, { write: output.write, finish: nothing, abandon: nothing });
}

/** `FILE` is told by `FILE.resume`. */
export function journalOf(file: string): string {
  return `${file}.resume`;
}

/** Held by the one process that goes on with `FILE`. */
export function lockOf(file: string): string {
  return `${file}.lock`;
}

/** The same for every way to name a file, also one that does not exist yet. */
export function trueName(file: string): string {
  const folder = resolveLink(path.dirname(path.resolve(file)));
  return resolveLink(path.join(folder, path.basename(file)));
}

/** The file appears whole at the end, or not at all; one that is there, or came meanwhile, only if it may be replaced. */
export async function createWholeFile(file: string, mayReplace: boolean, isHashed: boolean): Promise<Sink> {
  const target = resolveLink(file);
  const part = `${target}.${pid}.part`;
  const kept = mayReplace ? modeOf(target) : undefined;
  const handle = await openFile(file, part, "w", kept);
  return counted(newHash(isHashed), 0, {
    write: (text) => named(file, handle.writeFile(text)),
    finish: async () => {
      await named(file, handle.sync());
      await handle.close();
      if (mayReplace) await rename(part, target).catch((cause: unknown) => notInPlace(part, file, cause));
      else await appear(part, target, file);
    },
    abandon: async () => {
      await handle.close();
      await rm(part, { force: true });
    },
  });
}

async function appear(part: string, target: string, file: string): Promise<void> {
  try {
    await link(part, target);
  } catch (cause) {
    const isThere = statSync(target, { throwIfNoEntry: false }) !== undefined;
    // Not every file system has links.
    if (isThere) return notInPlace(part, file, cause, "another process has made it meanwhile");
    return await rename(part, target).catch((refused: unknown) => notInPlace(part, file, refused));
  }
  await rm(part);
}

function notInPlace(part: string, file: string, cause: unknown, why = fileFault(cause)): never {
  const isKept = sizeOf(part) !== undefined;
  const problem = isKept
    ? `${why}; the rows are whole in ${part}`
    : `${part} was taken away, and the rows with it`;
  throw new Failure(`--out "${file}": ${problem}`, {
    exit: 1,
    code: "output",
    retryable: !isKept,
    next: isKept ? `mv ${part} to a name of your choice` : "run the same command again",
    cause,
  });
}

/** Goes on after the first `bytes` of the file; what stands behind them, such as a torn last line, is cut off. */
export async function continueFile(file: string, bytes: number): Promise<Sink> {
  const handle = await openFile(file, file, "a");
  await named(file, cutFile(handle, file, bytes));
  return counted(await hashOf(file, bytes), bytes, {
    write: (text) => named(file, handle.writeFile(text)),
    finish: async () => {
      await named(file, handle.sync());
      const isThere = leadsTo(file, await handle.stat({ bigint: true }));
      await handle.close();
      if (!isThere) throw takenAway(file);
    },
    abandon: () => handle.close(),
  });
}

/** Whether the name still is that of the file that was written. */
function leadsTo(file: string, written: Pick<BigIntStats, "dev" | "ino">): boolean {
  const there = statSync(file, { bigint: true, throwIfNoEntry: false });
  return there !== undefined && isSameFile(there, written);
}

function takenAway(file: string): Failure {
  return new Failure(`--out "${file}": the file was moved or taken away while rows were written to it`, {
    exit: 1,
    code: "output",
    retryable: true,
    next: "where it was moved, its rows are whole; else run the same command again",
  });
}

/** SHA-256, in progress, over the first `bytes` of a file. */
export async function hashOf(file: string, bytes: number): Promise<Hash> {
  const hash = createHash("sha256");
  if (bytes === 0) return hash;
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) hash.update(Buffer.from(chunk));
  return hash;
}

/** Refused before anything is sent: a file that would be lost, or one that rows cannot be kept in. */
export function checkOutFile(file: string, mayExist: boolean, flag = "--out"): void {
  const label = `${flag} "${file}"`;
  const look = (stat: typeof lstatSync, at = file): Stats | undefined => {
    try {
      return stat(at, { throwIfNoEntry: false });
    } catch (cause) {
      // A file stands where a folder of the path should be.
      if (errorCode(cause) === "ENOTDIR") return undefined;
      throw unwritable(label, cause);
    }
  };
  if (look(lstatSync) === undefined) {
    const folder = look(statSync, path.dirname(path.resolve(file)));
    if (folder?.isDirectory() === true) return;
    throw usageFailure(
      `${label}: there is no folder ${path.dirname(file)}`,
      "make it first, or name another file",
    );
  }
  const target = look(statSync);
  if (target?.isDirectory() === true) throw usageFailure(`${label}: is a folder`, "name a file in it");
  if (target?.isFile() === false)
    throw usageFailure(`${label}: is no regular file`, `leave ${flag} out, or name a regular file`);
  if (!mayExist)
    throw usageFailure(
      `${label}: exists`,
      "go on with a pull that was interrupted by --resume, or replace the file by --force",
    );
}

/** Size in bytes; undefined where there is no such file. */
export function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** Hashing costs as much as cutting the rows: it is done for receipts and journals alone. */
function newHash(isWanted: boolean): Hash | undefined {
  return isWanted ? createHash("sha256") : undefined;
}

function counted(
  hash: Hash | undefined,
  before: number,
  sink: Pick<Sink, "write" | "finish" | "abandon">,
): Sink {
  let bytes = before;
  return {
    ...sink,
    write: async (text) => {
      hash?.update(text);
      bytes += typeof text === "string" ? Buffer.byteLength(text) : text.length;
      await sink.write(text);
    },
    bytes: () => bytes,
    sha256: () => {
      if (hash === undefined) throw new Error("this output is not hashed");
      return hash.copy().digest("hex");
    },
  };
}

/** `kept`: the permissions of the file that it will replace. */
async function openFile(file: string, actual: string, flags: string, kept?: number): Promise<FileHandle> {
  try {
    const handle = await open(actual, flags, kept ?? 0o666);
    keepMode(actual, kept);
    return handle;
  } catch (cause) {
    throw unwritable(`--out "${file}"`, cause);
  }
}

/** The failure of a write to an open file is one of the disk, which says nothing about the command. */
async function named(file: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (cause) {
    throw new Failure(`--out "${file}": ${cannotBeWritten(cause)}`, {
      exit: 1,
      code: "output",
      retryable: false,
      next: diskAdvice(cause),
      cause,
    });
  }
}

export function unwritable(label: string, cause: unknown): Failure {
  const isFull = diskAdvice(cause) !== undefined;
  return new Failure(`${label}: ${cannotBeWritten(cause)}`, {
    exit: isFull ? 1 : 2,
    code: isFull ? "output" : "usage",
    retryable: false,
    next: writeAdvice(cause),
    cause,
  });
}

/** A link stays a link: what it leads to is replaced. */
function resolveLink(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
