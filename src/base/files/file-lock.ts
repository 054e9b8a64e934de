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
import { dirname } from "node:path";
import type { Context } from "../context/context.ts";
import { fail, Failure, usageFailure } from "../failure.ts";
import { diskAdvice, errorCode, describeFileError } from "./file-errors.ts";
import {
  createToken,
  describeHolder,
  type Holder,
  type HolderState,
  isToken,
  readToken,
  stateOf,
} from "./lock-token.ts";
import { isSameFile, isTaken, openRegular, withDescriptor } from "./paths.ts";
import { stageFile } from "./replace-file.ts";

export type FileLock = ReturnType<typeof newLock>;

export type Locking = Pick<Context, "clock" | "random" | "signal" | "pid" | "platform">;

/** A short lock is held for a few milliseconds. If it lasts this long, its process was killed or suspended. */
const shortStaleMs = 2000;
/** Twenty processes that write at the same time need less than a second in total. */
const shortGiveUpMs = 10_000;

/** A long lock is rewritten at this interval, so that processes that cannot inspect its holder know it is running. */
const refreshMs = 10_000;
const staleMs = 60_000;
/**
 * A stale lock is also watched for longer than the refresh interval, because its age alone is unreliable: the clock may
 * have changed, or the machine may have been asleep.
 */
const watchMs = refreshMs + 2000;
const giveUpMs = watchMs + shortGiveUpMs;

/**
 * Locks a file for one short change. A lock whose holder is gone is taken immediately, and any other lock after two
 * seconds without a change (on the monotonic clock). After a timeout, the failure names the lock.
 */
export async function acquireLock(context: Locking, path: string): Promise<FileLock> {
  return await takeLock<never>(context, path, false, ({ state, watched }) =>
    state === "gone" || watched >= shortStaleMs ? "abandoned" : "wait",
  );
}

/**
 * Takes a lock for a run, or describes its holder. A running process never loses its lock. If the holder cannot be
 * checked, its lock is taken no earlier than 60 s after the last refresh, and `hint` says first why the run waits.
 */
export async function holdLock(
  context: Locking,
  path: string,
  hint: (text: string) => void = () => undefined,
): Promise<FileLock | { readonly holder: string }> {
  let isWatched = false;
  return await takeLock<{ readonly holder: string }>(context, path, true, (seen) => {
    if (seen.state === "gone") return "abandoned";
    // The process was killed between creating the lock and writing to it.
    if (seen.found.text === "") return seen.watched >= shortStaleMs ? "abandoned" : "wait";
    if (seen.state === "running" || seen.age() < staleMs)
      return { holder: describeHolder(context, seen.holder) };
    if (!isWatched) hint(`waiting for the lock ${path}, held by another host or container`);
    isWatched = true;
    return seen.watched >= watchMs ? "abandoned" : "wait";
  });
}

/** The file stays open, so that no other file has its identity, and a refresh never writes to another process's lock. */
function newLock(path: string, descriptor: number, id: string, stopRefresh?: () => void) {
  const own = fstatSync(descriptor, { bigint: true });
  const isHeld = (): boolean => {
    const there = statSync(path, { bigint: true, throwIfNoEntry: false });
    return there !== undefined && isSameFile(there, own);
  };
  return {
    /** The lock itself, for messages. */
    path,
    /** Differs from that of every other lock, for the names of files that only its holder may use. */
    id,
    /** False once another process has taken the lock; data that was read under it may then have changed. */
    isHeld,
    /** Never throws, because it runs last and must not hide the error that ended the run. */
    release: (): void => {
      try {
        if (isHeld()) removeLock(path);
      } catch {
        // This user lost access to the directory during the run. The next run detects that this process has ended.
      } finally {
        stopRefresh?.();
        closeSync(descriptor);
      }
    },
  };
}

function refresh(clock: Context["clock"], descriptor: number, token: (now: number) => string): () => void {
  return clock.every(refreshMs, () => {
    try {
      writeSync(descriptor, token(clock.now()), 0);
    } catch {
      // The next refresh may succeed. Until then, the lock ages, and other processes also check its age before taking
      // it.
    }
  });
}

interface SeenLock {
  readonly found: FoundLock;
  readonly holder: Holder | undefined;
  readonly state: HolderState;
  /** Milliseconds since the lock was written, according to the file system clock. */
  readonly age: () => number;
  /** How long this process has seen no change, in milliseconds. */
  readonly watched: number;
}

/** Repeats until the lock is created or `judge` returns a result. */
async function takeLock<T extends object>(
  context: Locking,
  path: string,
  isLong: boolean,
  judge: (seen: SeenLock) => "abandoned" | "wait" | T,
): Promise<FileLock | T> {
  const { clock, random, signal } = context;
  const { id, token } = createToken(context);
  const start = clock.elapsed();
  const watch = watchLock(context, path);
  const guard = watchLock(context, guardOf(path));
  for (;;) {
    const descriptor = createLock(path, token(clock.now()));
    if (descriptor !== undefined)
      return newLock(path, descriptor, id, isLong ? refresh(clock, descriptor, token) : undefined);
    const seen = watch();
    const judged = seen === undefined ? "wait" : judge(seen);
    if (typeof judged === "object") return judged;
    if (seen !== undefined && judged === "abandoned") removeAbandoned(context, path, seen.found, guard);
    if (clock.elapsed() - start >= (isLong ? giveUpMs : shortGiveUpMs))
      throw lockFailure(path, "is in use by another process");
    await clock.sleep(5 + 20 * random(), signal);
  }
}

/**
 * The returned function returns undefined if there is no lock. A new token or time restarts the watch. If the file
 * belongs to another program, such as Cargo.lock with `--out Cargo`, the function throws and changes nothing.
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
 * Removes only the lock that `judge` examined. Otherwise, if two processes examined the same lock, the second would
 * remove the first one's new lock. A second lock guards the removal.
 */
function removeAbandoned(
  context: Locking,
  path: string,
  judged: FoundLock,
  watchGuard: () => SeenLock | undefined,
): void {
  const guard = guardOf(path);
  const descriptor = createLock(guard, createToken(context).token(context.clock.now()));
  if (descriptor === undefined) {
    const seen = watchGuard();
    // The guard is held for microseconds. If it remains, its process was killed during the removal.
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
 * Call this before a run changes the locked file or reports success, because another process may have taken the lock
 * while this one was suspended.
 */
export function checkHeld(lock: Pick<FileLock, "isHeld" | "path">): void {
  if (lock.isHeld()) return;
  const folder = dirname(lock.path);
  const problem = isTaken(folder)
    ? `${lock.path} was removed or taken over by another process`
    : `the directory ${folder} was moved or deleted`;
  throw fail("output", `${problem} during the run`, { next: undefined, retryable: true });
}

interface FoundLock {
  /** Empty until the holder has written it; undefined if this user cannot read it. */
  readonly text: string | undefined;
  /** In milliseconds, according to the file system clock. */
  readonly writtenAt: number;
}

/** Much more than a token needs. */
const maxBytes = 4096;

/** Returns the open descriptor, or undefined if the lock already exists. */
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
    throw lockFailure(path, `cannot be created (${describeFileError(error)})`, error);
  }
}

/** Undefined if there is no lock. Throws if the name belongs to a link, directory, pipe or device. */
function readLock(path: string): FoundLock | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(path, constants.O_RDONLY);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const stat = errorCode(error) === "ENOENT" ? undefined : statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : { text: undefined, writtenAt: stat.mtimeMs };
  }
  return withDescriptor(descriptor, () => {
    const bytes = Buffer.alloc(maxBytes);
    const text = bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, maxBytes, 0));
    return { text, writtenAt: fstatSync(descriptor).mtimeMs };
  });
}

function isSameLock(one: FoundLock | undefined, other: FoundLock): boolean {
  return one?.text === other.text && one?.writtenAt === other.writtenAt;
}

/** Compares the lock with a new file next to it, because only its file system's clock counts. Returns 0 on failure. */
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

/** Returns the error if this user cannot remove the lock. Another process may already have removed it. */
function removeLock(path: string): unknown {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (["EACCES", "EPERM"].includes(errorCode(cause))) return cause;
  }
  return undefined;
}

/** Throws a failure, because there is no point in waiting for a lock that never disappears. */
function removeAbandonedLock(path: string): void {
  const refused = removeLock(path);
  if (refused === undefined) return;
  throw usageFailure(
    `cannot remove the abandoned lock ${path}: ${describeFileError(refused)}`,
    "delete it as the user who owns it",
  );
}

function lockFailure(path: string, problem: string, cause?: unknown): Failure {
  const isHeld = cause === undefined;
  const next = isHeld
    ? `try again; if no other dexdata is running, delete ${path}`
    : (diskAdvice(cause) ?? "check the permissions of the directory");
  return fail(isHeld ? "settings_locked" : "settings", `${path} ${problem}`, { next, cause });
}
