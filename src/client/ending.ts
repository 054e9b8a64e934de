import { type Clock, childOf, isInterruption, onAbort } from "../base/context/context.ts";

/**
 * The user's limit was reached: a number of events or rows, or a duration, which includes time without a connection.
 */
export class StopReason {
  readonly by: "limit" | "time";
  constructor(by: "limit" | "time") {
    this.by = by;
  }
}

/** For `--events`: a stop, a signal or a failure. */
export function endCause(reason: unknown): string {
  if (reason instanceof StopReason) return reason.by === "time" ? "--for reached" : "--limit reached";
  if (isInterruption(reason)) return reason.cause === "closed-pipe" ? "output closed" : reason.cause;
  return reason instanceof Error ? reason.message : String(reason);
}

export type Ending = ReturnType<typeof createEnding>;

/**
 * The signal aborts when the outer signal does, when `end` is called, or when the time is up (with a `StopReason`).
 * `duration` is in milliseconds; undefined means no limit.
 */
export function createEnding(clock: Clock, outer: AbortSignal, duration: number | undefined) {
  const ending = childOf(outer);
  const stop = (): void => ending.abort(new StopReason("time"));
  const stopWaiting = duration === undefined ? undefined : clock.after(duration, stop);
  return {
    signal: ending.signal,
    end: ending.abort,
    release: (): void => {
      stopWaiting?.();
      ending.release();
    },
  };
}

/** `Promise.race` with one promise per stream would retain memory for every race. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(release);
  });
}
