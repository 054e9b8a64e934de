import type { AnswerAge } from "../client/freshness.ts";

/** In seconds. */
const [noticed, trusted] = [5 * 60, 6 * 3600];

export type ServiceClock = ReturnType<typeof createServiceClock>;

/**
 * The time by which days are over. `local` is the clock of this machine, in milliseconds. A `Date` header can only move
 * the time back: a header that is days ahead must not end a day, and neither must a local clock that is.
 */
export function createServiceClock(local: () => number) {
  /** In milliseconds; the service's time minus that of this machine. */
  let [smallest, largest]: (number | undefined)[] = [];
  let hasAnswer = false;
  return {
    /** Called for each successful response. Days are over when its data is that new. */
    record: (date: string | undefined, age?: AnswerAge): void => {
      hasAnswer = true;
      const now = local();
      const said = (date === undefined ? Number.NaN : Date.parse(date)) - now;
      if (Number.isNaN(said)) return;
      smallest = Math.min(smallest ?? said, said, (age?.asOf ?? Number.POSITIVE_INFINITY) - now);
      // A copy in a cache may have the date of its original, or a new one.
      const difference = said < 0 ? Math.min(0, said + (age?.isBound === false ? age.age : 0)) : said;
      largest = Math.abs(difference) > Math.abs(largest ?? 0) ? difference : (largest ?? difference);
    },
    isHeard: (): boolean => smallest !== undefined,
    /** There was a response, but none contained the time. */
    isSilent: (): boolean => hasAnswer && smallest === undefined,
    /** In Unix seconds. */
    present: (): number => Math.floor((local() + Math.min(0, smallest ?? 0)) / 1000),
    /** The largest difference in whole seconds, if people should know about it. */
    difference: (): number | undefined => {
      const seconds = Math.trunc((largest ?? 0) / 1000);
      return Math.abs(seconds) > noticed ? seconds : undefined;
    },
    /** Whether the time is certain enough to say that a day is over. */
    isSure: (): boolean => largest !== undefined && Math.abs(largest) <= trusted * 1000,
  };
}
