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
    /** Called for each successful response. */
    heard: (date: string | undefined): void => {
      hasAnswer = true;
      const difference = (date === undefined ? Number.NaN : Date.parse(date)) - local();
      if (Number.isNaN(difference)) return;
      smallest = Math.min(smallest ?? difference, difference);
      largest = Math.abs(difference) > Math.abs(largest ?? 0) ? difference : (largest ?? difference);
    },
    isHeard: (): boolean => smallest !== undefined,
    /** There was a response, but none said the time. */
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
