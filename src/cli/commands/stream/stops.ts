import type { Clock } from "../../../base/context/context.ts";
import type { Failure } from "../../../base/failure.ts";
import { createEnding, StopReason } from "../../../client/ending.ts";

interface StopOptions {
  readonly limit: number | undefined;
  readonly maxCredits: number | undefined;
  /** In milliseconds. */
  readonly duration: number | undefined;
}

/** `spent` returns the credits of the run so far. */
export function createStops(clock: Clock, outer: AbortSignal, options: StopOptions, spent: () => number) {
  const { limit = Number.POSITIVE_INFINITY, maxCredits = Number.POSITIVE_INFINITY } = options;
  const ending = createEnding(clock, outer, options.duration);
  let [events, pendingWrites] = [0, 0];
  let failure: Failure | undefined;

  return {
    ...ending,
    /** The events have already been charged; the wanted ones count as written from now on. */
    take: (count: number): number => {
      const taken = Math.max(0, Math.min(count, limit - events, maxCredits - (spent() - count)));
      events += taken;
      pendingWrites += 1;
      return taken;
    },
    /** The credit for an event that is not written still counts. */
    leftOut: (count = 1): void => {
      events -= count;
    },
    /** Ends the stream if the batch's events reached a limit. `budget` is set if no credit is left. */
    written: (budget?: Failure): void => {
      failure ??= budget;
      pendingWrites -= 1;
      // Pending writes finish in order, so no line from another connection is lost.
      if (pendingWrites > 0) return;
      if (events >= limit) ending.end(new StopReason("limit"));
      else if (failure !== undefined) ending.end(failure);
    },
    counts: () => ({ events, credits: spent() }),
  };
}
