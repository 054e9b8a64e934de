import type { Clock } from "../../context/context.ts";
import { fail, type Failure } from "../../contract/failure.ts";
import { createEnding, type Ending, Stop } from "../../tail/ending.ts";

export interface StopsAsked {
  readonly limit: number | undefined;
  readonly maxCredits: number | undefined;
  /** Milliseconds. */
  readonly duration: number | undefined;
}

/** When a stream is over though nothing is wrong with it. */
export interface Stops extends Ending {
  /** The service charged for so many events. */
  readonly charge: (events: number) => void;
  /** How many of so many events that have just been charged for are still wanted. They count as written from then on. */
  readonly take: (events: number) => number;
  /** One of what was taken is no line: it is not written, and counts for nothing but its credit. */
  readonly leftOut: () => void;
  /** What was taken has been written: now what it fulfils may end the stream. */
  readonly written: () => void;
  readonly counts: () => { readonly events: number; readonly credits: number };
}

export function createStops(clock: Clock, outer: AbortSignal, asked: StopsAsked): Stops {
  const { limit = Number.POSITIVE_INFINITY, maxCredits = Number.POSITIVE_INFINITY } = asked;
  const ending = createEnding(clock, outer, asked.duration);
  const { end } = ending;
  let [events, credits, underWay] = [0, 0, 0];
  if (maxCredits === 0) end(creditsFailure(0));

  return {
    ...ending,
    charge: (count) => {
      credits += count;
    },
    take: (count) => {
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
  };
}

function creditsFailure(most: number): Failure {
  return fail("max_credits", `the ${most} credits of --max-credits are spent: one an event`, {
    next: "allow more to listen longer",
  });
}
