import { childOf } from "../context/child-signal.ts";
import { type Clock, isInterruption } from "../context/context.ts";
import { fail, type Failure } from "../contract/failure.ts";

/**
 * The reason for ending a stream when a condition of the user is met: a number of events or rows, or a duration. The
 * duration includes time without a connection.
 */
export class Stop {
  readonly by: "limit" | "time";
  constructor(by: "limit" | "time") {
    this.by = by;
  }
}

/** Names the reason for the end of a stream, for `--events`: a stop, a signal or a failure. */
export function endCause(reason: unknown): string {
  if (reason instanceof Stop) return reason.by === "time" ? "--for reached" : "--limit reached";
  if (isInterruption(reason)) return reason.cause === "closed-pipe" ? "output closed" : reason.cause;
  return reason instanceof Error ? reason.message : String(reason);
}

/** Ends a run that would otherwise never end. */
export interface Ending {
  /** Aborts with the outer signal, when `end` is called, or with a `Stop` when the time is up. */
  readonly signal: AbortSignal;
  readonly end: (reason: unknown) => void;
  readonly release: () => void;
}

/** Creates an ending. `duration` is in milliseconds; undefined means no limit. */
export function createEnding(clock: Clock, outer: AbortSignal, duration: number | undefined): Ending {
  const ending = childOf(outer);
  const waiting = childOf(ending.signal);
  const stop = (): void => ending.abort(new Stop("time"));
  if (duration !== undefined) clock.sleep(duration, waiting.signal).then(stop, () => undefined);
  return {
    signal: ending.signal,
    end: ending.abort,
    release: () => {
      waiting.abort("the run has ended");
      waiting.release();
      ending.release();
    },
  };
}

interface StopOptions {
  readonly limit: number | undefined;
  readonly maxCredits: number | undefined;
  /** The maximum duration in milliseconds. */
  readonly duration: number | undefined;
}

export type Stops = ReturnType<typeof createStops>;

/** Tracks the conditions under which a healthy stream ends. */
export function createStops(clock: Clock, outer: AbortSignal, options: StopOptions) {
  const { limit = Number.POSITIVE_INFINITY, maxCredits = Number.POSITIVE_INFINITY } = options;
  const ending = createEnding(clock, outer, options.duration);
  let [events, credits, pendingWrites] = [0, 0, 0];
  if (maxCredits === 0) ending.end(creditsFailure(0));

  return {
    ...ending,
    charge: (count: number): void => {
      credits += count;
    },
    /**
     * Returns how many of these events are still wanted. The events were already charged, and the wanted ones count as
     * written from now on.
     */
    take: (count: number): number => {
      const taken = Math.max(0, Math.min(count, limit - events, maxCredits - (credits - count)));
      events += taken;
      pendingWrites += 1;
      return taken;
    },
    /** Corrects the count for an event that is not written. Its credit still counts. */
    leftOut: (): void => {
      events -= 1;
    },
    /** Records that a batch was written. If its events reached a limit, the stream ends. */
    written: (): void => {
      pendingWrites -= 1;
      // The stream ends only after pending writes have finished: they finish in order, so no line of another connection
      // is lost.
      if (pendingWrites > 0) return;
      if (events >= limit) ending.end(new Stop("limit"));
      else if (credits >= maxCredits) ending.end(creditsFailure(maxCredits));
    },
    counts: () => ({ events, credits }),
  };
}

function creditsFailure(most: number): Failure {
  return fail("max_credits", `--max-credits of ${most} reached; each event costs 1 credit`, {
    next: "raise --max-credits to stream longer",
  });
}

/**
 * Resolves with `work`, or rejects with the signal's reason if the signal aborts first. `Promise.race` against one
 * promise per stream would retain memory for every race.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
