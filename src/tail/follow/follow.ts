import type { Context } from "../../context/context.ts";
import { Failure } from "../../contract/failure.ts";
import { lastingRefusals } from "../lasting-refusals.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { reconnectWait } from "../reconnect-wait.ts";
import { catchUp } from "./catch-up.ts";
import { createHeldRows, type HeldRows } from "./held-rows.ts";
import type { KnownRows } from "./known-rows.ts";
import type { TakeLook } from "./look.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import { mergeRows, type TailRow } from "./tail-row.ts";
import type { Wake } from "./wake.ts";

/** What a tail does with what it finds. */
export interface FollowHandlers {
  /** Awaited, so that a slow reader slows the reads. False when no more rows are wanted. */
  readonly write: (rows: readonly TailRow[]) => Promise<boolean>;
  /** Everything up to the service's present has been read, by a read that began then; so many rows were new. */
  readonly caughtUp: (began: number, rows: number) => void;
  readonly retrying: (failure: Failure, waitMilliseconds: number) => void;
  /** At the end so many rows had been read that the reader did not take in time. */
  readonly unwritten: (rows: number) => void;
}

/** How to look at the rows, and which of them are known. */
export interface Tailing {
  readonly take: TakeLook;
  readonly known: KnownRows;
}

export interface Follower {
  readonly context: Pick<Context, "clock" | "random" | "signal">;
  /** Where the tail begins; asked again where that fails. */
  readonly begin: () => Promise<Tailing>;
  readonly wake: Wake;
  /** Unix seconds that no sound row is later than. */
  readonly latest: () => number;
  /** Milliseconds from one read to the next when nothing calls for one; asked each time. */
  readonly idle: () => number;
  readonly handlers: FollowHandlers;
}

/** Answers that cannot be trusted, in a row, before they are taken to stay so. */
const patience = 5;

/**
 * Reads again and again, and writes every row once, oldest first. Ends when `write` says so; throws the signal's reason,
 * and the Failure that reading once more would not change. What has been read by then is written first.
 */
export async function follow(follower: Follower): Promise<void> {
  const { signal } = follower.context;
  const held = createHeldRows(follower.latest);
  const schedule = createSchedule(follower, held);
  let pending: Pending | undefined;
  const write = async (rows: readonly TailRow[]): Promise<boolean> => {
    pending = { rows: rows.length, done: follower.handlers.write(rows) };
    const isMoreWanted = await unlessAborted(pending.done, signal);
    pending = undefined;
    return isMoreWanted;
  };
  const readOnce = createReader({ ...follower, handlers: { ...follower.handlers, write } }, held, schedule);
  try {
    while (await readOnce()) await schedule.untilDue();
  } catch (cause) {
    await writeRest(follower, pending, held);
    throw cause;
  }
}

interface Pending {
  readonly rows: number;
  readonly done: Promise<boolean>;
}

/** Milliseconds that a slow reader has for the last rows: whoever ends a tail does not wait for another program. */
const lastWrites = 400;

/** What is held comes after what the reader is still about to take; a write that failed is not followed by another. */
async function writeRest(
  { context: { clock }, handlers }: Follower,
  pending: Pending | undefined,
  held: HeldRows,
): Promise<void> {
  const rest = held.all();
  let left = (pending?.rows ?? 0) + rest.length;
  const writing = async (): Promise<void> => {
    if (pending !== undefined && !(await pending.done.catch(() => false))) return;
    left = rest.length;
    await handlers.write(rest);
  };
  const waiting = new AbortController();
  const tooLate = clock.sleep(lastWrites, waiting.signal).then(() => handlers.unwritten(left));
  try {
    await Promise.race([writing(), tooLate]);
  } finally {
    waiting.abort(new Error("the last rows are written"));
  }
}

/** Each call reads once, or finds that it has to be tried again. False when no more is wanted. */
function createReader(
  { context, begin, wake, latest, handlers }: Follower,
  held: HeldRows,
  schedule: Schedule,
): () => Promise<boolean> {
  const { clock, random, signal } = context;
  let tailing: Tailing | undefined;

  /** The number of new rows; undefined when no more are wanted. */
  const read = async (): Promise<number | undefined> => {
    tailing ??= await begin();
    const { take, known } = tailing;
    let count = 0;
    for await (const { rows, isPresent } of catchUp(take, known, latest)) {
      known.add(rows);
      count += rows.length;
      if (isPresent) held.take(rows, clock.elapsed());
      else if (!(await handlers.write(mergeRows(held.all(), rows)))) return undefined;
    }
    return count;
  };

  return async () => {
    signal.throwIfAborted();
    const began = clock.elapsed();
    wake.answer();
    let count: number | undefined;
    try {
      count = await read();
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      const failures = schedule.failures() + 1;
      if (!(cause instanceof Failure) || isFinal(cause, failures)) throw cause;
      const wait = reconnectWait(failures, cause, random());
      schedule.failed(wait);
      handlers.retrying(cause, wait);
      return true;
    }
    if (count === undefined) return false;
    schedule.succeeded(began, count);
    handlers.caughtUp(began, count);
    return await handlers.write(held.due(began));
  };
}

/** What may pass by itself leads to another read: 408, 429, 5xx, faults of the line, and a bad answer or list unless it stays so. */
function isFinal({ exit, code, details: { status } }: Failure, failures: number): boolean {
  if (exit === 1 || code === "incomplete") return failures >= patience;
  if (status !== undefined && !lastingRefusals.has(status)) return false;
  return exit !== 6 && exit !== 7;
}
