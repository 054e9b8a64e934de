import type { Clock } from "../../context/context.ts";

/** The service's own present, as its answers say it in their `Date` header; our clock where none says it. */
export interface ServicePresent {
  /** The `Date` header of an answer. */
  readonly heard: (date: string | undefined) => void;
  /**
   * Unix seconds that no sound row is later than. A row that is dated ahead of it is a row, but says nothing about how
   * far the service has come: one in the next century would leave everything until then out of sight.
   */
  readonly latest: () => number;
}

/** Blocks are dated by those who make them, a few seconds ahead at times; the header counts whole seconds. */
const toleranceSeconds = 60;

export function createServicePresent(clock: Pick<Clock, "now">): ServicePresent {
  let said: number | undefined;
  return {
    heard: (date) => {
      const milliseconds = date === undefined ? Number.NaN : Date.parse(date);
      if (!Number.isNaN(milliseconds)) said = milliseconds;
    },
    latest: () => Math.floor((said ?? clock.now()) / 1000) + toleranceSeconds,
  };
}
