import { hash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import path from "node:path";
import type { Duplex } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { fail, Failure, invalidInput, usageFailure } from "../base/failure.ts";
import { cannotBeWritten, diskAdvice, errorCode, writeAdvice } from "../base/files/file-errors.ts";
import { fixedFolder, mayName } from "../base/files/file-pattern.ts";
import {
  type FileIdentity,
  isSameFile,
  isTaken,
  lookAt,
  openRegular,
  withDescriptor,
} from "../base/files/paths.ts";
import { someOf } from "../base/text/words.ts";
import { type FileLock, holdLock, type Locking } from "../base/files/file-lock.ts";

/** Linux uses the same limit. */
const maxLinks = 40;

/** Resolves symbolic links, so that all names of a file share a checkpoint and a lock. The file may not exist yet. */
export function targetOf(file: string): string {
  let target = file;
  for (let links = 0; links < maxLinks; links += 1) {
    try {
      target = path.resolve(path.dirname(target), readlinkSync(target));
    } catch {
      return target;
    }
  }
  return file;
}

export function checkpointOf(file: string): string {
  return `${file}.resume`;
}

/** Holds an unfinished pull's rows, unless they are written to `FILE` itself. */
export function partOf(file: string): string {
  return `${file}.part`;
}

/** Held by the only process that writes `FILE`. */
export function lockOf(file: string): string {
  return `${file}.lock`;
}

/** The same for all of a file's names, even if the file does not exist yet. */
export function trueName(file: string): string {
  const target = targetOf(path.resolve(file));
  try {
    return path.join(realpathSync(path.dirname(target)), path.basename(target));
  } catch {
    return target;
  }
}

/** A file can have several names, and a pattern has several files. */
export function mayBeSame(one: string, other: string): boolean {
  if (mayName(one, other, trueName) || mayName(other, one, trueName)) return true;
  return identityOf(one) === identityOf(other);
}

/** Links are followed, as they are when the file is written. */
export function isNameOf(file: string, identity: FileIdentity): boolean {
  return lookAt(file)?.isFile() === true && isSameFile(statSync(file, { bigint: true }), identity);
}

/** Terminals and pipes are the same file for input and output, but nothing is lost in them. */
function identityOf(file: string): string {
  const found = lookAt(file);
  if (found === undefined) return trueName(file);
  if (!found.isFile()) return path.resolve(file);
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev} ${ino}`;
}

/** The limit on all common file systems, in bytes. */
const longestName = 255;
/** Used while `FILE.resume` or the receipt is being replaced. */
const longestEnding = {
  "--out": ".resume.0123456789abcdef.new".length,
  "--receipt": ".0123456789abcdef.new".length,
};

/** Rejects a file that would be overwritten or that cannot contain rows. Nothing has been sent yet. */
export function checkOutFile(
  file: string,
  mayExist: boolean,
  flag: keyof typeof longestEnding = "--out",
): void {
  const label = `${flag} "${file}"`;
  const look = (stat: typeof lstatSync, at = file): Stats | undefined => {
    try {
      return stat(at, { throwIfNoEntry: false });
    } catch (cause) {
      // A directory in the path is actually a file.
      if (errorCode(cause) === "ENOTDIR") return undefined;
      throw unwritable(label, cause);
    }
  };
  const isThere = look(lstatSync) !== undefined;
  const most = longestName - longestEnding[flag];
  if (Buffer.byteLength(path.basename(targetOf(file))) > most)
    throw usageFailure(
      `${label}: cannot be written (file name too long)`,
      `use a name of at most ${most} bytes; files such as FILE.resume have longer names`,
    );
  if (!isThere) {
    checkFolder(label, path.dirname(file), look(statSync, path.dirname(path.resolve(file))));
    return;
  }
  checkFile(label, look(statSync), `omit ${flag}, or name a regular file`);
  if (!mayExist) throw alreadyExists(file);
}

/** The first bytes; empty if the file does not exist. */
function beginningOf(file: string): string {
  if (!isTaken(file)) return "";
  const bytes = Buffer.alloc(64);
  return withDescriptor(openRegular(file, constants.O_RDONLY), (descriptor) =>
    bytes.toString("latin1", 0, readSync(descriptor, bytes)),
  );
}

export function checkFolder(label: string, folder: string, found: Stats | undefined): void {
  if (found?.isDirectory() === true) return;
  throw usageFailure(`${label}: directory ${folder} does not exist`, "create it first, or name another file");
}

export function checkFile(label: string, found: Stats | undefined, hint: string): void {
  if (found?.isDirectory() === true)
    throw invalidInput(label, "must be a file, not a directory", "name a file in it");
  if (found?.isFile() === false) throw invalidInput(label, "must be a regular file", hint);
}

/** The receipt may replace an older receipt, but not the rows, their checkpoint or their lock. */
export function checkReceiptFile(receipt: string, file: string | undefined): void {
  checkOutFile(receipt, true, "--receipt");
  const label = `--receipt "${receipt}"`;
  try {
    accessSync(path.dirname(path.resolve(targetOf(receipt))), constants.W_OK);
    if (!/^(?:\{\s*"dexdata":|$)/u.test(beginningOf(targetOf(receipt))))
      throw usageFailure(`${label}: not a file that --receipt has written`, "use another file");
  } catch (cause) {
    throw unwritable(label, cause);
  }
  if (file === undefined) return;
  const target = targetOf(file);
  const taken = [target, checkpointOf(target), partOf(target), lockOf(target)].map(trueName);
  if (taken.includes(trueName(receipt)))
    throw invalidInput(
      label,
      `must not be a file used by --out "${file}"`,
      "name another file for the receipt",
    );
}

export function alreadyExists(file: string): Failure {
  return usageFailure(
    `${file} already exists`,
    existsSync(checkpointOf(targetOf(file)))
      ? "resume the interrupted pull with --resume, or start over with --force"
      : "use another file name, or overwrite the file with --force",
  );
}

export function unwritable(label: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const code = diskAdvice(cause) === undefined ? "usage" : "output";
  return fail(code, `${label}: ${cannotBeWritten(cause)}`, { next: writeAdvice(cause), cause });
}

/**
 * If another process holds the lock, the failure is temporary (exit code 7), so that a service manager that does not
 * restart commands after usage errors still retries this one.
 */
export async function holdFile(
  context: Locking,
  file: string,
  lockFile: string,
  hint: (text: string) => void,
  label = `--out "${file}"`,
): Promise<FileLock> {
  const lock = await holdLock(context, lockFile, hint).catch((thrown: unknown) => {
    // The lock is the run's first file in this directory, so the directory or its disk is the problem.
    if (thrown instanceof Failure && thrown.cause !== undefined) throw unwritable(label, thrown.cause);
    throw thrown;
  });
  if ("release" in lock) return lock;
  throw fail("busy", `${file} is in use by ${lock.holder}`, {
    next: `wait until it has finished, or stop it; if it is not dexdata, delete ${lockFile}`,
  });
}

/**
 * The name to which a path with fields adds `.part`, `.resume` and `.lock`. Pulls of other assets may use the same path
 * at the same time, so the name depends on the arguments, too.
 */
export function stagingBase(pattern: string, command: readonly string[]): string {
  const folder = fixedFolder(pattern);
  checkFolder(`--out "${pattern}"`, folder, lookAt(folder));
  const facts = JSON.stringify([path.resolve(pattern), ...command]);
  return path.join(folder, `.rows-${hash("sha256", facts).slice(0, 16)}`);
}

/** More names would not help a reader. */
export const maxNamed = 3;

/** Checks files that are known before a request is sent. */
export function refuseTaken(files: readonly string[]): void {
  const taken = files.filter(isTaken);
  if (taken.length === 0) return;
  const [verb, them] = taken.length === 1 ? ["exists", "it"] : ["exist", "them"];
  throw usageFailure(
    `${someOf(taken, maxNamed)} already ${verb}`,
    `move ${them} out of the way, or overwrite with --force`,
  );
}

/** Resuming an unfinished pull would remove the rows that are appended to it. */
export function refuseUnfinished(name: string): void {
  const file = targetOf(name);
  if (lookAt(checkpointOf(file)) === undefined) return;
  throw fail("unfinished", `${file} has an unfinished pull`, {
    next: "finish that pull with --resume first, or name another file",
  });
}

/**
 * How complete rows become the final file. Each function returns a new stage of a pipeline: `encode` from the rows to
 * the file, with the same bytes for the same rows, and `decode` back. If a file cannot be decoded, its size and hash are
 * its own, and `check` throws unless it can be read, and has the rows that `encode` received last. A checkpoint with
 * another name belongs to another file.
 */
export type Encoder = { readonly name: string; readonly encode: () => Duplex } & (
  | { readonly decode: () => Duplex }
  | { readonly check: (file: string, signal: AbortSignal) => Promise<void> }
);

const gzip: Encoder = {
  name: "gzip",
  // The default level of gzip(1). Node writes neither a time nor a name into the header.
  encode: () => createGzip({ level: 6 }),
  decode: () => createGunzip(),
};

/** Undefined for a file that consists of the rows themselves. */
export function encoderByName(file: string | undefined): Encoder | undefined {
  if (file === undefined) return undefined;
  if (/\.zst$/iu.test(file))
    throw usageFailure(
      `--out "${file}": zstd is not supported`,
      `use gzip: --out ${file.replace(/\.zst$/iu, ".gz")}`,
    );
  return /\.gz$/iu.test(file) ? gzip : undefined;
}

/** The name without `.gz`, which shows the format of the rows. */
export function nameWithoutGzip(file: string): string {
  return file.replace(/\.gz$/iu, "");
}
