import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import type { Context } from "../context/context.ts";
import { fail, Failure, usageFailure } from "../contract/failure.ts";
import { diskAdvice, errorCode, fileFault } from "./file-fault.ts";
import {
  createToken,
  describeHolder,
  type Holder,
  type HolderState,
  isToken,
  type LockToken,
  readToken,
  stateOf,
} from "./lock-token.ts";
import { isSameFile, openRegular } from "./regular-file.ts";
import { stageFile } from "./replace-file.ts";

export interface FileLock {
  /** False after another process took the lock: data that was read under it may have changed. */
  readonly isHeld: () => boolean;
  /** Never throws: it runs last, and must not hide the error that ended the run. */
  readonly release: () => void;
}

/** The part of the context that a lock needs. */
export type Locking = Pick<Context, "clock" | "random" | "signal" | "pid" | "platform">;

/** A short lock is held for a few milliseconds; an older one belongs to a process that was killed or stopped. */
const shortStaleMs = 2000;
/** Twenty writers at once need less than a second together. */
const shortGiveUpMs = 10_000;

/** The holder of a long lock rewrites it at this interval, so that processes which cannot check the holder see it run. */
const refreshMs = 10_000;
const staleMs = 60_000;
/**
 * Before a stale lock is taken, it is also watched for longer than the refresh interval: its age alone may come from a
 * changed clock, or from a machine that was asleep.
 */
const watchMs = refreshMs + 2000;
const giveUpMs = watchMs + shortGiveUpMs;

/**
 * Takes a lock for one short change of a file. If the holder no longer runs, its lock is taken at once. Any other lock is
 * taken after two seconds without a change, by the clock that cannot jump. Otherwise the failure names the lock.
 */
export async function acquireLock(context: Locking, path: string): Promise<FileLock> {
  const keep = (token: LockToken, descriptor: number): FileLock => {
    closeSync(descriptor);
    return newLock(path, () => readToken(readLock(path)?.text ?? "")?.id === token.id);
  };
  return await takeLock<never>(context, path, shortGiveUpMs, keep, ({ state, watched }) =>
    state === "gone" || watched >= shortStaleMs ? "abandoned" : "wait",
  );
}

/**
 * Takes a lock for the duration of a run, or describes the process that holds it. It is never taken from a running
 * process, and from one that cannot be checked only 60 s after its last refresh. `onWatch` is called when that long watch
 * begins.
 */
export async function holdLock(
  context: Locking,
  path: string,
  onWatch?: () => void,
): Promise<FileLock | { readonly holder: string }> {
  const keep = (token: LockToken, descriptor: number): FileLock =>
    keepFresh(context.clock, path, token, descriptor);
  let isWatched = false;
  return await takeLock<{ readonly holder: string }>(context, path, giveUpMs, keep, (seen) => {
    if (seen.state === "gone") return "abandoned";
    // Its process was killed between creating and writing it.
    if (seen.found.text === "") return seen.watched >= shortStaleMs ? "abandoned" : "wait";
    if (seen.state === "running" || seen.age() < staleMs)
      return { holder: describeHolder(context, seen.holder) };
    if (!isWatched) onWatch?.();
    isWatched = true;
    return seen.watched >= watchMs ? "abandoned" : "wait";
  });
}

/** Keeps the file open, so that a refresh never writes to the lock of another process under the same name. */
function keepFresh(clock: Context["clock"], path: string, token: LockToken, descriptor: number): FileLock {
  const own = fstatSync(descriptor, { bigint: true });
  const stop = clock.every(refreshMs, () => {
    try {
      writeSync(descriptor, token.text(clock.now()), 0);
    } catch {
      // The next refresh may succeed. Until then the lock ages, which other processes check before they take it.
    }
  });
  const isHeld = (): boolean => {
    const there = statSync(path, { bigint: true, throwIfNoEntry: false });
    return there !== undefined && isSameFile(there, own);
  };
  return newLock(path, isHeld, () => {
    stop();
    closeSync(descriptor);
  });
}

function newLock(path: string, isHeld: FileLock["isHeld"], close?: () => void): FileLock {
  return {
    isHeld,
    release: () => {
      try {
        if (isHeld()) removeLock(path);
      } catch {
        // The directory was closed to this user during the run. The next run finds that this process has ended.
      } finally {
        close?.();
      }
    },
  };
}

/** The lock of another process. */
interface SeenLock {
  readonly found: FoundLock;
  readonly holder: Holder | undefined;
  readonly state: HolderState;
  /** Milliseconds since it was written, by the clock of the file system. */
  readonly age: () => number;
  /** Milliseconds for which this process has watched it without a change. */
  readonly watched: number;
}

/** Creates the lock or judges the existing one until either has a result. `keep` takes over the descriptor. */
async function takeLock<T extends object>(
  context: Locking,
  path: string,
  limitMs: number,
  keep: (token: LockToken, descriptor: number) => FileLock,
  judge: (seen: SeenLock) => "abandoned" | "wait" | T,
): Promise<FileLock | T> {
  const { clock, random, signal } = context;
  const token = createToken(context);
  const start = clock.elapsed();
  const watch = watchLock(context, path);
  const guard = watchLock(context, guardOf(path));
  for (;;) {
    const descriptor = createLock(path, token.text(clock.now()));
    if (descriptor !== undefined) return keep(token, descriptor);
    const seen = watch();
    const judged = seen === undefined ? "wait" : judge(seen);
    if (typeof judged === "object") return judged;
    if (seen !== undefined && judged === "abandoned") removeAbandoned(context, path, seen.found, guard);
    if (clock.elapsed() - start >= limitMs) throw lockFailure(path, "is in use by another process");
    await clock.sleep(5 + 20 * random(), signal);
  }
}

/**
 * Each call reads the lock; undefined if there is none. A new token or time restarts the watch. A file of another program
 * under that name, such as the Cargo.lock of `--out Cargo`, is a failure and is not touched.
 */
function watchLock(context: Locking, path: string): () => SeenLock | undefined {
  const { clock, random } = context;
  let since = clock.elapsed();
  let last: Omit<SeenLock, "watched"> | undefined;
  return () => {
    const found = readLock(path);
    if (found === undefined) return undefined;
    if (last === undefined || !isSameLock(last.found, found)) {
      const holder = readToken(found.text ?? "");
      if (!isToken(found.text ?? ""))
        throw usageFailure(
          `${path} already exists, and dexdata did not create it`,
          "move it, or name another file",
        );
      since = clock.elapsed();
      let measured: number | undefined;
      const age = (): number => (measured ??= ageOf(random, path, found));
      last = { found, holder, age, state: holder === undefined ? "unknown" : stateOf(context, holder, age) };
    }
    return { ...last, watched: clock.elapsed() - since };
  };
}

const guardOf = (path: string): string => `${path}.break`;

/**
 * Removes the lock only if it is still the one that was judged. Two processes that judged the same lock must not both
 * remove it, or the second would remove the lock that the first has taken since. A second lock guards the removal.
 */
function removeAbandoned(
  context: Locking,
  path: string,
  judged: FoundLock,
  watchGuard: () => SeenLock | undefined,
): void {
  const guard = guardOf(path);
  const descriptor = createLock(guard, createToken(context).text(context.clock.now()));
  if (descriptor === undefined) {
    const seen = watchGuard();
    // It is held for microseconds. One that stays, or whose process has ended, was left by a process killed right there.
    if (seen !== undefined && (seen.state === "gone" || seen.watched >= shortStaleMs))
      removeAbandonedLock(guard);
    return;
  }
  closeSync(descriptor);
  try {
    if (isSameLock(readLock(path), judged)) removeAbandonedLock(path);
  } finally {
    removeLock(guard);
  }
}

/**
 * Call this before a run changes the locked file or reports success: another process may have taken the lock while this
 * one was suspended.
 */
export function checkHeld(lock: Pick<FileLock, "isHeld">, path: string): void {
  if (lock.isHeld()) return;
  throw fail("output", `${path} was removed or taken over by another process during the run`, {
    next: undefined,
    retryable: true,
  });
}

/** The lock of some process, as it is on disk. */
interface FoundLock {
  /** Empty while its holder writes it; undefined if this user cannot read it. */
  readonly text: string | undefined;
  /** Milliseconds, by the clock of the file system. */
  readonly writtenAt: number;
}

/** Far more than a token needs. */
const maxBytes = 4096;

/** Returns the descriptor of a new lock with that text; undefined if the lock exists. */
function createLock(path: string, text: string): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "wx", 0o644);
    writeFileSync(descriptor, text);
    return descriptor;
  } catch (error) {
    // On a full disk an empty lock would stay, and no process could identify its holder.
    if (descriptor !== undefined) {
      closeSync(descriptor);
      removeLock(path);
    }
    const code = errorCode(error);
    if (code === "EEXIST") return undefined;
    // Windows reports this while a file of that name is being deleted.
    if (code === "EPERM" && readLock(path) !== undefined) return undefined;
    throw lockFailure(path, `cannot be created (${fileFault(error)})`, error);
  }
}

/** Undefined if there is none. Throws a failure if a link, directory, pipe or device has the name. */
function readLock(path: string): FoundLock | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(path, constants.O_RDONLY);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const stat = errorCode(error) === "ENOENT" ? undefined : statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : { text: undefined, writtenAt: stat.mtimeMs };
  }
  try {
    const bytes = Buffer.alloc(maxBytes);
    const text = bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, maxBytes, 0));
    return { text, writtenAt: fstatSync(descriptor).mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

function isSameLock(one: FoundLock | undefined, other: FoundLock): boolean {
  return one?.text === other.text && one?.writtenAt === other.writtenAt;
}

/**
 * Milliseconds since the lock was written, by the clock of its file system alone: its time is compared with a new file in
 * the same directory. 0 if none can be created.
 */
function ageOf(random: () => number, path: string, { writtenAt }: FoundLock): number {
  try {
    const probe = stageFile(random, path, "", { mode: 0o600 });
    const now = statSync(probe, { throwIfNoEntry: false })?.mtimeMs ?? writtenAt;
    removeLock(probe);
    return now - writtenAt;
  } catch {
    return 0;
  }
}

/** Returns the system's error if this user cannot remove the lock. Another process may have removed it already. */
function removeLock(path: string): unknown {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (["EACCES", "EPERM"].includes(errorCode(cause))) return cause;
  }
  return undefined;
}

/** Like `removeLock`, but fails: waiting for a lock that never disappears is useless. */
function removeAbandonedLock(path: string): void {
  const refused = removeLock(path);
  if (refused === undefined) return;
  throw usageFailure(
    `cannot remove the abandoned lock ${path}: ${fileFault(refused)}`,
    "delete it as the user who owns it",
  );
}

function lockFailure(path: string, problem: string, cause?: unknown): Failure {
  const isTaken = cause === undefined;
  const next = isTaken
    ? `try again; if no other dexdata is running, delete ${path}`
    : (diskAdvice(cause) ?? "check the permissions of the directory");
  return fail(isTaken ? "settings_locked" : "settings", `${path} ${problem}`, { next, cause });
}
