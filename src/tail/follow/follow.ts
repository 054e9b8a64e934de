import type { Context } from "../../model/context.ts";
import { Failure } from "../../model/failure.ts";
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
  let isWriting = false;
  const write = async (rows: readonly TailRow[]): Promise<boolean> => {
    isWriting = true;
    const isMoreWanted = await unlessAborted(follower.handlers.write(rows), signal);
    isWriting = false;
    return isMoreWanted;
  };
  const readOnce = createReader({ ...follower, handlers: { ...follower.handlers, write } }, held, schedule);
  try {
    while (await readOnce()) await schedule.untilDue();
  } catch (cause) {
    // A reader that did not take the rows before, because it is slow or gone, is not waited for.
    if (!isWriting) await follower.handlers.write(held.all());
    throw cause;
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

/** What may pass by itself leads to another read: 429, 5xx, faults of the line, a bad answer unless it stays so. */
function isFinal({ exit }: Failure, failures: number): boolean {
  if (exit === 1) return failures >= patience;
  return exit !== 6 && exit !== 7;
}
