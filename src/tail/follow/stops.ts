import type { Clock } from "../../model/context.ts";
import { Failure } from "../../model/failure.ts";
import { childOf } from "../child-signal.ts";

/** When a tail ends. */
export interface Stops {
  /** Aborts with the outer one, when the time is over, with a Failure when no row comes, and by `end`. */
  readonly signal: AbortSignal;
  /** The time that was asked for is over. */
  readonly isOver: () => boolean;
  readonly end: (reason: unknown) => void;
  /** A row was written. */
  readonly heard: () => void;
  readonly release: () => void;
}

/** Milliseconds; undefined for no such stop. */
export interface StopTimes {
  readonly duration: number | undefined;
  readonly idle: number | undefined;
}

export function createStops(clock: Clock, outer: AbortSignal, { duration, idle }: StopTimes): Stops {
  const ending = childOf(outer);
  const waiting = new AbortController();
  let isOver = false;
  let last = clock.elapsed();

  const untilOver = async (milliseconds: number): Promise<void> => {
    await clock.sleep(milliseconds, waiting.signal);
    isOver = !ending.signal.aborted;
    ending.abort(new Error("the time of --for is over"));
  };
  const untilIdle = async (milliseconds: number): Promise<void> => {
    for (let left = milliseconds; left > 0; left = last + milliseconds - clock.elapsed())
      await clock.sleep(left, waiting.signal);
    ending.abort(idleFailure(milliseconds));
  };

  if (duration !== undefined) untilOver(duration).catch(() => undefined);
  if (idle !== undefined) untilIdle(idle).catch(() => undefined);
  return {
    signal: ending.signal,
    isOver: () => isOver,
    end: (reason) => ending.abort(reason),
    heard: () => {
      last = clock.elapsed();
    },
    release: () => {
      waiting.abort();
      ending.release();
    },
  };
}

function idleFailure(milliseconds: number): Failure {
  return new Failure(`no row came for ${milliseconds / 1000} s (--idle-exit)`, {
    exit: 8,
    code: "idle",
    retryable: true,
    next: "look whether the pool is traded at all: dexdata pool <network> <pool>",
  });
}
