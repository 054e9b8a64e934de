import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { getPriority } from "node:os";
import { pid } from "node:process";
import type { Context } from "../model/context.ts";
import { Failure } from "../model/failure.ts";
import { errorCode } from "../model/error-code.ts";
import { diskAdvice, fileFault } from "../model/file-fault.ts";

export interface FileLock {
  /** False once another process took it for abandoned: what was read under it may be old by now. */
  readonly isHeld: () => boolean;
  readonly release: () => void;
}

/** Held for a few milliseconds in truth; older ones were left behind by a process that was killed or stopped. */
const STALE_AFTER = 2000;
/** Twenty writers at once need under a second together. */
const GIVE_UP_AFTER = 10_000;

let taken = 0;

/**
 * A file that only one process can create, holding the process's id. Bounded: a lock that cannot be had is a
 * failure that names the file. The age of a lock is the time it was watched here, on the clock that cannot
 * jump: times of the file system may be those of another machine.
 */
export async function acquireLock(
  context: Pick<Context, "clock" | "random" | "signal">,
  path: string,
): Promise<FileLock> {
  const { clock, random, signal } = context;
  taken += 1;
  const token = `${pid} ${taken}`;
  const start = clock.elapsed();
  const watched = watchTokens(clock);
  while (!create(path, token)) {
    const holder = readToken(path);
    if (holder !== undefined && (isGone(holder) || watched(path, holder) >= STALE_AFTER))
      removeAbandoned(path, holder, token, watched);
    if (clock.elapsed() - start >= GIVE_UP_AFTER) throw lockFailure(path, "is held by another process");
    await clock.sleep(5 + 20 * random(), signal);
  }
  return {
    isHeld: () => readToken(path) === token,
    release: () => {
      if (readToken(path) === token) unlink(path);
    },
  };
}

/** Milliseconds since one and the same token was first seen there: an empty one too, which a crash may leave. */
type Watched = (path: string, token: string) => number;

function watchTokens({ elapsed }: Context["clock"]): Watched {
  const seen = new Map<string, { readonly token: string; readonly since: number }>();
  return (path, token) => {
    const before = seen.get(path);
    const current = before?.token === token ? before : { token, since: elapsed() };
    seen.set(path, current);
    return elapsed() - current.since;
  };
}

const heldHere = new Set<string>();

/**
 * The lock for as long as a run lasts, or the id of the process that has it. It is never taken from a process that
 * lives, however long that holds it.
 */
export async function holdLock(
  { clock, signal }: Pick<Context, "clock" | "signal">,
  path: string,
): Promise<FileLock | { readonly holder: number }> {
  const watched = watchTokens(clock);
  taken += 1;
  const token = `${pid} ${taken}`;
  for (;;) {
    if (create(path, token)) {
      heldHere.add(token);
      return {
        isHeld: () => readToken(path) === token,
        release: () => {
          heldHere.delete(token);
          if (readToken(path) === token) unlink(path);
        },
      };
    }
    const holder = readToken(path);
    if (holder !== undefined) {
      const process = Number(holder.split(" ")[0]);
      // In a container the process that was killed may well have had this one's id.
      const isOwn = process === pid && !heldHere.has(holder);
      const isNobodys = holder === "" && watched(path, holder) >= STALE_AFTER;
      if (isGone(holder) || isOwn || isNobodys) removeAbandoned(path, holder, token, watched);
      else if (holder !== "") return { holder: process };
    }
    await clock.sleep(5, signal);
  }
}

/** False when it exists. */
function create(path: string, token: string): boolean {
  let isOurs = false;
  try {
    const descriptor = openSync(path, "wx", 0o600);
    isOurs = true;
    try {
      writeSync(descriptor, token);
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch (error) {
    // On a full disk it would stay, empty, and nobody could say whose it is.
    if (isOurs) unlink(path);
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    // Windows answers so while a file of that name is being deleted.
    if (code === "EPERM" && readToken(path) !== undefined) return false;
    throw lockFailure(path, `cannot be created (${fileFault(error)})`, error);
  }
}

/** Empty while its holder is writing it; undefined when there is none. */
function readToken(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Another process may have the same id by now: then the lock is not seen to be gone, but grows stale. */
function isGone(token: string): boolean {
  const holder = Number(token.split(" ")[0]);
  if (!Number.isInteger(holder) || holder <= 0) return false;
  try {
    getPriority(holder);
    return false;
  } catch (error) {
    // A SystemError carries the errno's name in `info`; a process of another user is EACCES and alive.
    return error instanceof Error && error.message.includes("ESRCH");
  }
}

/**
 * Removes the lock only if it is still the one that was judged. Two waiters that judged the same one must not
 * both remove it, or the second would remove the lock that the first has taken since: a lock on the removal.
 */
function removeAbandoned(path: string, judged: string, token: string, watched: Watched): void {
  const guard = `${path}.break`;
  if (!create(guard, token)) {
    const breaker = readToken(guard);
    // Held for microseconds, so one that stays, or whose process is gone, was left by a process killed right there.
    if (breaker !== undefined && (isGone(breaker) || watched(guard, breaker) >= STALE_AFTER)) unlink(guard);
    return;
  }
  if (readToken(path) === judged) unlink(path);
  unlink(guard);
}

function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else removed it, which is what was wanted.
  }
}

function lockFailure(path: string, why: string, cause?: unknown): Failure {
  const isTaken = cause === undefined;
  const next = isTaken
    ? `try again; if no other dexdata is running, delete ${path}`
    : (diskAdvice(cause) ?? "check the folder's permissions");
  return new Failure(`${path} ${why}`, {
    exit: 2,
    code: isTaken ? "settings_locked" : "settings",
    retryable: isTaken,
    next,
    cause,
  });
}
