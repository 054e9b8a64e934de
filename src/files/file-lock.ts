import { closeSync, fstatSync, statSync, writeSync } from "node:fs";
import type { Context } from "../context/context.ts";
import { usageFailure } from "../contract/failure.ts";
import { isSameFile } from "./same-file.ts";
import {
  ageOf,
  createLock,
  type FoundLock,
  isSameLock,
  lockFailure,
  readLock,
  removeAbandonedLock,
  removeLock,
} from "./lock-file.ts";
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

export interface FileLock {
  /** False once another process took the lock: data that was read under it may have changed since. */
  readonly isHeld: () => boolean;
  /** Never throws: it comes last, and must not hide the error that ended the run. */
  readonly release: () => void;
}

type Waiting = Pick<Context, "clock" | "random" | "signal">;

/** A short lock is held for a few milliseconds; an older one belongs to a process that was killed or stopped. */
const shortStaleMs = 2000;
/** Twenty writers at once need less than a second together. */
const shortGiveUpMs = 10_000;

/** The holder of a long lock writes it again at this interval, so that processes which cannot check it see it run. */
const refreshMs = 10_000;
const staleMs = 60_000;
/**
 * A stale lock is also watched for longer than a refresh takes before it is taken: its age alone may come from a clock
 * that was set, or from a machine that was asleep.
 */
const watchMs = refreshMs + 2000;
const giveUpMs = watchMs + shortGiveUpMs;

/**
 * A lock for one short change of a file. The lock of a process that is gone is taken at once, any other one after it was
 * watched unchanged for two seconds, on the clock that cannot jump. A lock that stays taken is a failure that names it.
 */
export async function acquireLock(context: Waiting, path: string): Promise<FileLock> {
  const keep = (token: LockToken, descriptor: number): FileLock => {
    closeSync(descriptor);
    return newLock(path, () => readToken(readLock(path)?.text ?? "")?.id === token.id);
  };
  return await takeLock<never>(context, path, shortGiveUpMs, keep, ({ state, watched }) =>
    state === "gone" || watched >= shortStaleMs ? "abandoned" : "wait",
  );
}

/**
 * A lock for as long as a run lasts, or a description of the process that has it. It is never taken from a process that
 * runs, however long that holds it; from one that cannot be checked only 60 s after its last refresh. `onWatch` is called
 * when that long watch begins.
 */
export async function holdLock(
  context: Waiting,
  path: string,
  onWatch?: () => void,
): Promise<FileLock | { readonly holder: string }> {
  const keep = (token: LockToken, descriptor: number): FileLock =>
    keepFresh(context.clock, path, token, descriptor);
  let isWatched = false;
  return await takeLock<{ readonly holder: string }>(context, path, giveUpMs, keep, (seen) => {
    if (seen.state === "gone") return "abandoned";
    // The process that created it was killed before it wrote it.
    if (seen.found.text === "") return seen.watched >= shortStaleMs ? "abandoned" : "wait";
    if (seen.state === "running" || seen.age() < staleMs) return { holder: describeHolder(seen.holder) };
    if (!isWatched) onWatch?.();
    isWatched = true;
    return seen.watched >= watchMs ? "abandoned" : "wait";
  });
}

/** Holds the file open, so that a refresh never writes to the lock of another process under the same name. */
function keepFresh(clock: Context["clock"], path: string, token: LockToken, descriptor: number): FileLock {
  const own = fstatSync(descriptor, { bigint: true });
  const stop = clock.every(refreshMs, () => {
    try {
      writeSync(descriptor, token.text(clock.now()), 0);
    } catch {
      // The next one may succeed. Until then the lock ages, which is checked by those that would take it.
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
        // The folder was closed to this user during the run. The next run finds that this process is gone.
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
  /** Milliseconds for which it was watched here without a change. */
  readonly watched: number;
}

/** Creates the lock, or judges the one that is there, until either gives a result. `keep` takes its descriptor. */
async function takeLock<T extends object>(
  context: Waiting,
  path: string,
  limitMs: number,
  keep: (token: LockToken, descriptor: number) => FileLock,
  judge: (seen: SeenLock) => "abandoned" | "wait" | T,
): Promise<FileLock | T> {
  const { clock, random, signal } = context;
  const token = createToken(random);
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
    if (clock.elapsed() - start >= limitMs) throw lockFailure(path, "is held by another process");
    await clock.sleep(5 + 20 * random(), signal);
  }
}

/**
 * Each call looks at the lock; undefined where there is none. A new token or time starts the watch again. A file of
 * another program that has the name, such as the Cargo.lock of `--out Cargo`, is a failure, and stays.
 */
function watchLock({ clock, random }: Waiting, path: string): () => SeenLock | undefined {
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
      last = { found, holder, age, state: holder === undefined ? "unknown" : stateOf(holder, age) };
    }
    return { ...last, watched: clock.elapsed() - since };
  };
}

const guardOf = (path: string): string => `${path}.break`;

/**
 * Removes the lock only if it is still the one that was judged. Two processes that judged the same one must not both
 * remove it, or the second would remove the lock that the first has taken since: a lock on the removal.
 */
function removeAbandoned(
  { clock, random }: Waiting,
  path: string,
  judged: FoundLock,
  watchGuard: () => SeenLock | undefined,
): void {
  const guard = guardOf(path);
  const descriptor = createLock(guard, createToken(random).text(clock.now()));
  if (descriptor === undefined) {
    const seen = watchGuard();
    // Held for microseconds, so one that stays, or whose process is gone, was left by a process killed right there.
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
