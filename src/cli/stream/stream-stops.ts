import type { Clock } from "../../model/context.ts";
import { Failure } from "../../model/failure.ts";
import { childOf } from "../../tail/child-signal.ts";

export interface StopsAsked {
  readonly limit: number | undefined;
  readonly maxCredits: number | undefined;
  /** Milliseconds. */
  readonly duration: number | undefined;
  readonly idle: number | undefined;
}

/** When a stream is over though nothing is wrong with it. */
export interface Stops {
  /** Aborted with a `Stop`, a Failure, or the outer signal's reason. */
  readonly signal: AbortSignal;
  /** The service charged for so many events. */
  readonly charge: (events: number) => void;
  /** How many of so many events that have just been charged for are still wanted. They count as written from then on. */
  readonly take: (events: number) => number;
  /** One of what was taken is no line: it is not written, and counts for nothing but its credit. */
  readonly leftOut: () => void;
  /** What was taken has been written: now what it fulfils may end the stream. */
  readonly written: () => void;
  readonly counts: () => { readonly events: number; readonly credits: number };
  readonly release: () => void;
}

/** A stop that was asked for and met: so many events, or so much time, which may have passed without a connection. */
export class Stop {
  readonly by: "limit" | "time";
  constructor(by: "limit" | "time") {
    this.by = by;
  }
}

export function createStops(clock: Clock, outer: AbortSignal, asked: StopsAsked): Stops {
  const { limit = Number.POSITIVE_INFINITY, maxCredits = Number.POSITIVE_INFINITY } = asked;
  const ending = childOf(outer);
  const done = childOf(outer);
  let [events, credits, underWay] = [0, 0, 0];
  let isHeard = false;

  const end = (reason: Stop | Failure): void => ending.abort(reason);
  const stopAfter = async (milliseconds: number): Promise<void> => {
    await clock.sleep(milliseconds, done.signal);
    end(new Stop("time"));
  };
  /** In ticks: an event at any moment of the last ones counts, and nothing ends early. */
  const stopWhenIdle = async (milliseconds: number): Promise<void> => {
    for (let quiet = 0; quiet < 10;) {
      await clock.sleep(milliseconds / 10, done.signal);
      // While our own reader is slow nothing is read, and its silence is not the service's.
      quiet = isHeard || underWay > 0 ? 0 : quiet + 1;
      isHeard = false;
    }
    end(idleFailure(milliseconds));
  };
  if (asked.duration !== undefined) stopAfter(asked.duration).catch(() => undefined);
  if (asked.idle !== undefined) stopWhenIdle(asked.idle).catch(() => undefined);
  if (maxCredits === 0) end(creditsFailure(0));

  return {
    signal: ending.signal,
    charge: (count) => {
      credits += count;
    },
    take: (count) => {
      isHeard = true;
      const taken = Math.max(0, Math.min(count, limit - events, maxCredits - (credits - count)));
      events += taken;
      underWay += 1;
      return taken;
    },
    leftOut: () => {
      events -= 1;
    },
    written: () => {
      underWay -= 1;
      // Lines leave in the order they were taken in, so that nothing taken is lost to another connection's end.
      if (underWay > 0) return;
      if (events >= limit) end(new Stop("limit"));
      else if (credits >= maxCredits) end(creditsFailure(maxCredits));
    },
    counts: () => ({ events, credits }),
    release: () => {
      done.abort("the stream is over");
      done.release();
      ending.release();
    },
  };
}

function creditsFailure(most: number): Failure {
  return new Failure(`the ${most} credits of --max-credits are spent: one an event`, {
    exit: 5,
    code: "max_credits",
    retryable: false,
    next: "allow more to listen longer",
  });
}

function idleFailure(milliseconds: number): Failure {
  return new Failure(`no event came for ${milliseconds / 1000} s (--idle-exit)`, {
    exit: 8,
    code: "idle",
    retryable: true,
    next: "the connections were open; look whether these assets are traded at all",
  });
}
