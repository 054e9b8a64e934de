import { once } from "node:events";
import type { Context } from "../base/context/context.ts";
import { Failure } from "../base/failure.ts";
import { type Instant, toWire } from "../base/time/time.ts";
import { unlessAborted } from "./ending.ts";
import type { Freshness } from "./freshness.ts";
import { createHeldRows } from "./follow/known-rows.ts";
import type { RowSource } from "./followed-list.ts";
import type { Doubt } from "./follow/read-range.ts";
import type { Schedule } from "./follow-wake.ts";
import { type FollowState, mergeRows, type FollowedRow } from "./followed-row.ts";
import { asErrorPage, isOfIntermediary, isPermanent, reconnectWait } from "./retry.ts";

interface FollowHandlers {
  /** Awaited, so a slow reader slows down the reads. Returns false if no more rows are wanted. */
  readonly write: (rows: readonly FollowedRow[]) => Promise<boolean>;
  /** Called after a read that started at `began` and returned all rows up to the service's present time. */
  readonly caughtUp: (began: number, rows: number) => void;
  /** Called after a read that returned an earlier state of the list. */
  readonly readOld: () => void;
  /** Receives the number of rows that the service counts but never lists. */
  readonly unlisted: (rows: number) => void;
  /** Receives the number of rows that are not written, because they may have been written long before. */
  readonly forgotten: (rows: number) => void;
  /** Receives the start of a range that no complete read has covered, and that is no longer read. */
  readonly unproved: (from: Instant) => void;
  readonly retrying: (failure: Failure, waitMilliseconds: number) => void;
  /** Receives the number of rows that the reader did not accept in time. */
  readonly unwritten: (rows: number) => void;
  /** Called when all known rows are written, except for the held ones. */
  readonly progressed: (state: () => FollowState) => void;
}

interface Follower {
  readonly context: Pick<Context, "clock" | "random" | "signal">;
  /** The signal of the whole run. The signal of the context also aborts when only this list is removed. */
  readonly runSignal: AbortSignal;
  /** Finds the start. If it fails, it is repeated. */
  readonly begin: () => Promise<RowSource>;
  readonly schedule: Schedule;
  /** In Unix seconds. Rows with a later time have a wrong date. */
  readonly latest: () => number;
  /** The service's present in Unix seconds, if the list is only polled; see `createHeldRows`. */
  readonly polledAt: (() => number) | undefined;
  /** How old the responses are, if they come from a cache. */
  readonly freshness: Freshness;
  /**
   * Whether a request of the run has had a response, perhaps for another list, so that an error page is not the service's.
   * Receives the number of consecutive failures.
   */
  readonly isHostKnown: (failures: number) => boolean;
  readonly handlers: FollowHandlers;
}

/** Number of consecutive invalid responses after which the problem is considered permanent. */
export const maxFailures = 5;

/** Milliseconds to write the last rows, because another program must not delay the end of a follow. */
const lastWrites = 400;

/**
 * Writes every row once, oldest first. Returns when `write` returns false. Throws the signal's reason, or a Failure
 * that another read would not fix; rows that were already read are written first.
 */
export async function followRows(follower: Follower): Promise<void> {
  const { context, begin, schedule, latest, polledAt, freshness, isHostKnown, handlers } = follower;
  const { clock, random, signal } = context;
  const held = createHeldRows(latest, polledAt);
  const isFinal = createJudge();
  let source: RowSource | undefined;
  const recheckAt = (): number => source?.recheckAt() ?? Number.POSITIVE_INFINITY;
  const progressed = (of: RowSource): void => handlers.progressed(() => of.state(held.keys()));
  const differsAt = (): number =>
    source === undefined ? Number.NEGATIVE_INFINITY : freshness.differsAt(toWire(source.from()));
  let pending: Pending | undefined;
  const write = async (rows: readonly FollowedRow[]): Promise<boolean> => {
    pending = { rows: rows.length, done: handlers.write(rows) };
    const isMoreWanted = await unlessAborted(pending.done, signal);
    pending = undefined;
    return isMoreWanted;
  };

  /** Returns the number of new rows; undefined if no more rows are wanted. */
  const read = async () => {
    source ??= await begin();
    progressed(source);
    let count = 0;
    let last: Doubt | undefined;
    for await (const { rows, isPresent, doubt, missing, forgotten } of source.read()) {
      count += rows.length;
      last = doubt;
      if (missing > 0 && doubt === undefined) handlers.unlisted(missing);
      if (forgotten > 0) handlers.forgotten(forgotten);
      if (isPresent) held.take(rows, clock.elapsed() - freshness.age());
      else if (!(await write(mergeRows(held.all(), rows)))) return undefined;
      else progressed(source);
    }
    const unproved = source.giveUp();
    if (unproved !== undefined) handlers.unproved(unproved);
    return { count, doubt: last };
  };

  /** Schedules a retry if the read fails. Returns false if no more rows are wanted. */
  const readOnce = async (): Promise<boolean> => {
    signal.throwIfAborted();
    const began = schedule.begin();
    let reading: Awaited<ReturnType<typeof read>>;
    try {
      reading = await read();
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      const failures = schedule.failures() + 1;
      // Rows that could not be written are known, so another read would leave them out.
      const isOfRead = cause instanceof Failure && pending === undefined;
      if (!isOfRead || isFinal(cause, failures, isHostKnown(failures))) throw cause;
      const wait = reconnectWait(failures, cause, random());
      schedule.failed(wait);
      // The public service sends an empty body for an unknown pool.
      handlers.retrying(cause.status === 404 ? cause : asErrorPage(cause), wait);
      return true;
    }
    if (reading === undefined) return false;
    const { count, doubt } = reading;
    schedule.succeeded(count);
    // A copy in a cache proves nothing about the time after it was made.
    const shown = began - freshness.age();
    if (doubt === undefined) handlers.caughtUp(shown, count);
    else if (doubt.kind === "older") handlers.readOld();
    else if (doubt.failure !== undefined)
      handlers.retrying(doubt.failure, Math.max(0, recheckAt() - clock.elapsed()));
    const isMoreWanted = await write(held.due(shown, doubt === undefined));
    // If no more rows are wanted, some known rows are not written.
    if (source !== undefined && isMoreWanted) progressed(source);
    return isMoreWanted;
  };

  try {
    while (await readOnce()) await schedule.untilDue(() => Math.min(held.nextDue(), recheckAt()), differsAt);
  } catch (cause) {
    // The list may come back in this run, so its last rows count as written.
    if ((await writeRest(follower, pending, held.all())) && source !== undefined) progressed(source);
    throw cause;
  }
}

interface Pending {
  readonly rows: number;
  readonly done: Promise<boolean>;
}

/** Writes the held rows after those that the reader is still accepting. After a failed write, none are written. */
async function writeRest(
  { context: { clock, signal }, runSignal, handlers }: Follower,
  pending: Pending | undefined,
  rest: readonly FollowedRow[],
): Promise<boolean> {
  let left = (pending?.rows ?? 0) + rest.length;
  // With thousands of lists, waiting for the turn to write nothing would take longer than the limit.
  if (left === 0) return false;
  const writing = async (): Promise<boolean> => {
    if (pending !== undefined && !(await pending.done.catch(() => false))) return false;
    left = rest.length;
    return await handlers.write(rest);
  };
  const waiting = new AbortController();
  const giveUp = async (): Promise<boolean> => {
    // While the run continues, a slow reader still gets the rows of a list that was removed.
    if (signal.aborted && !runSignal.aborted) await once(runSignal, "abort", waiting);
    await clock.sleep(lastWrites, waiting.signal);
    handlers.unwritten(left);
    return false;
  };
  try {
    return await Promise.race([writing(), giveUp()]);
  } finally {
    waiting.abort(new Error("the last rows are written"));
  }
}

/**
 * Decides whether a failure of a read is final. `failures` is the number of consecutive ones. Transient failures are 408,
 * 429, 5xx, connection errors, error pages of an intermediary in front of a known host, and invalid data unless it persists.
 */
export function createJudge() {
  /** Consecutive responses with invalid data. */
  let invalid = 0;
  return (failure: Failure, failures: number, isHostKnown: boolean): boolean => {
    const { exit, code, details } = failure;
    const isInvalid = exit === 1 || code === "incomplete";
    invalid = isInvalid ? Math.min(invalid, failures - 1) + 1 : 0;
    if (isInvalid) return invalid >= maxFailures;
    if (isHostKnown && isOfIntermediary(failure)) return false;
    return details.status === undefined ? exit !== 6 && exit !== 7 : isPermanent(failure, isHostKnown);
  };
}
