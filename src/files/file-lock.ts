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
  /**
   * Returns false after another process has taken the lock. Data that was read under the lock may have changed by then.
   */
  readonly isHeld: () => boolean;
  /** Never throws, because it runs last and must not hide the error that ended the run. */
  readonly release: () => void;
}

/** The part of the context that locks need. */
export type Locking = Pick<Context, "clock" | "random" | "signal" | "pid" | "platform">;

/**
 * Processes hold a short lock for a few milliseconds. If it is older than this, its process was killed or suspended.
 */
const shortStaleMs = 2000;
/** Twenty processes that write at the same time need less than a second in total. */
const shortGiveUpMs = 10_000;

/**
 * The holder of a long lock rewrites it at this interval. Processes that cannot inspect the holder can then see that it
 * is still running.
 */
const refreshMs = 10_000;
const staleMs = 60_000;
/**
 * Before a process takes a stale lock, it also watches the lock for longer than the refresh interval. The age alone is
 * not reliable, because the clock may have changed or the machine may have been asleep.
 */
const watchMs = refreshMs + 2000;
const giveUpMs = watchMs + shortGiveUpMs;

/**
 * Takes a lock for one short change to a file. If the holder is no longer running, its lock is taken immediately. Any
 * other lock is taken after two seconds without a change, measured by the monotonic clock. If this does not succeed in
 * time, the failure names the lock.
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
 * Takes a lock for the duration of a run, or describes the process that holds it. The lock is never taken from a
 * running process. If the process cannot be checked, the lock is taken 60 s after its last refresh at the earliest.
 * `onWatch` is called when the long watch begins.
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
    // The process was killed after it created the lock and before it wrote to it.
    if (seen.found.text === "") return seen.watched >= shortStaleMs ? "abandoned" : "wait";
    if (seen.state === "running" || seen.age() < staleMs)
      return { holder: describeHolder(context, seen.holder) };
    if (!isWatched) onWatch?.();
    isWatched = true;
    return seen.watched >= watchMs ? "abandoned" : "wait";
  });
}

/** Keeps the file open, so that a refresh never writes to a lock that another process created under the same name. */
function keepFresh(clock: Context["clock"], path: string, token: LockToken, descriptor: number): FileLock {
  const own = fstatSync(descriptor, { bigint: true });
  const stop = clock.every(refreshMs, () => {
    try {
      writeSync(descriptor, token.text(clock.now()), 0);
    } catch {
      // The next refresh may succeed. Until then, the lock gets older, and other processes also check its age before
      // they take it.
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
        // This user lost access to the directory during the run. The next run detects that this process has ended.
      } finally {
        close?.();
      }
    },
  };
}

/** A lock that another process holds. */
interface SeenLock {
  readonly found: FoundLock;
  readonly holder: Holder | undefined;
  readonly state: HolderState;
  /** Returns the milliseconds since the lock was written, according to the file system clock. */
  readonly age: () => number;
  /** The time in milliseconds for which this process has watched the lock without seeing a change. */
  readonly watched: number;
}

/**
 * Creates the lock or, if it already exists, calls `judge`. Repeats this until the lock has been created or `judge`
 * returns a result. `keep` takes ownership of the descriptor.
 */
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
 * Returns a function that reads the lock and returns undefined if there is none. A new token or a new time restarts the
 * watch. If the file belongs to another program, such as the Cargo.lock of `--out Cargo`, the function throws a failure
 * and does not change the file.
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
 * Removes the lock, but only if it is still the lock that `judge` examined. Without this check, two processes could
 * examine the same lock, and the second one would remove the new lock of the first. A second lock guards the removal.
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
    // The guard is held for microseconds. If it remains or its process has ended, that process was killed during the
    // removal.
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
 * Throws a failure if the lock was lost. Call this before a run changes the locked file or reports success, because
 * another process may have taken the lock while this one was suspended.
 */
export function checkHeld(lock: Pick<FileLock, "isHeld">, path: string): void {
  if (lock.isHeld()) return;
  throw fail("output", `${path} was removed or taken over by another process during the run`, {
    next: undefined,
    retryable: true,
  });
}

/** A lock file as found on disk. */
interface FoundLock {
  /** Empty until the holder has written it; undefined if this user cannot read it. */
  readonly text: string | undefined;
  /** In milliseconds, according to the file system clock. */
  readonly writtenAt: number;
}

/** Much more than a token needs. */
const maxBytes = 4096;

/** Creates a lock with this text and returns its descriptor. Returns undefined if the lock already exists. */
function createLock(path: string, text: string): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "wx", 0o644);
    writeFileSync(descriptor, text);
    return descriptor;
  } catch (error) {
    // On a full disk, an empty lock would remain, and no process could identify its holder.
    if (descriptor !== undefined) {
      closeSync(descriptor);
      removeLock(path);
    }
    const code = errorCode(error);
    if (code === "EEXIST") return undefined;
    // Windows reports this error while a file with the same name is being deleted.
    if (code === "EPERM" && readLock(path) !== undefined) return undefined;
    throw lockFailure(path, `cannot be created (${fileFault(error)})`, error);
  }
}

/** Returns undefined if there is no lock. Throws a failure if the name belongs to a link, directory, pipe or device. */
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
 * Returns the milliseconds since the lock was written. Only the clock of its file system is used: the time of the lock
 * is compared with the time of a new file in the same directory. Returns 0 if that file cannot be created.
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

/**
 * Removes the lock. Returns the error if this user is not allowed to remove it. Another process may already have
 * removed it.
 */
function removeLock(path: string): unknown {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (["EACCES", "EPERM"].includes(errorCode(cause))) return cause;
  }
  return undefined;
}

/** Removes the lock or throws a failure, because there is no point in waiting for a lock that never disappears. */
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
