import { type Clock, isInterruption } from "../context/context.ts";
import { childOf } from "../context/child-signal.ts";

/** A stop that was asked for and met: so many events or rows, or so much time, connected or not. */
export class Stop {
  readonly by: "limit" | "time";
  constructor(by: "limit" | "time") {
    this.by = by;
  }
}

/** Names what ended a stream, for `--events`: a stop, a signal or the failure. */
export function endCause(reason: unknown): string {
  if (reason instanceof Stop) return reason.by === "time" ? "--for reached" : "--limit reached";
  if (isInterruption(reason)) return reason.cause === "closed-pipe" ? "output closed" : reason.cause;
  return reason instanceof Error ? reason.message : String(reason);
}

/** When what has no end of its own is over. */
export interface Ending {
  /** Aborts with the outer one, with a `Stop` when the time is over, and by `end`. */
  readonly signal: AbortSignal;
  readonly end: (reason: unknown) => void;
  readonly release: () => void;
}

/** `duration`: milliseconds; undefined for no such stop. */
export function createEnding(clock: Clock, outer: AbortSignal, duration: number | undefined): Ending {
  const ending = childOf(outer);
  const waiting = childOf(ending.signal);
  const stop = (): void => ending.abort(new Stop("time"));
  if (duration !== undefined) clock.sleep(duration, waiting.signal).then(stop, () => undefined);
  return {
    signal: ending.signal,
    end: ending.abort,
    release: () => {
      waiting.abort("it is over");
      waiting.release();
      ending.release();
    },
  };
}
