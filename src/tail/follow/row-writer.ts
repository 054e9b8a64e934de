import type { Clock } from "../../context/context.ts";
import type { Instant } from "../../time/time.ts";
import { compareRows, type TailRow } from "./tail-row.ts";

/** Callbacks for rows with unusual times. */
interface RowTimes {
  /** Called with the number of rows that are older than a row written before. */
  readonly late: (rows: number, seconds: number) => void;
  /**
   * Called with the number of rows that are dated after the service's present time, and the time of the first of these
   * rows.
   */
  readonly ahead: (rows: number, first: Instant) => void;
  /** Returns Unix seconds. Rows with a later time have a wrong date. */
  readonly latest: () => number;
}

/**
 * Writes rows in the given order, up to the limit. Reports rows that are older than a row written before, because they
 * were indexed too late to be written in order.
 */
export function createRowWriter(
  limit: number | undefined,
  show: (rows: readonly TailRow[]) => Promise<void>,
  { late, ahead, latest }: RowTimes,
) {
  let count = 0;
  let last: TailRow | undefined;

  const reportTimes = (rows: readonly TailRow[]): void => {
    let [number, seconds] = [0, 0];
    const present = latest();
    const sound = rows.filter(({ at }) => at.seconds <= present);
    const first = rows.find(({ at }) => at.seconds > present);
    if (first !== undefined) ahead(rows.length - sound.length, first.at);
    for (const row of sound) {
      if (last !== undefined && compareRows(row, last) < 0) {
        number += 1;
        seconds = Math.max(seconds, last.at.seconds - row.at.seconds);
      } else last = row;
    }
    if (number > 0) late(number, seconds);
  };

  return {
    /** Returns false if no more rows are wanted. */
    write: async (rows: readonly TailRow[]): Promise<boolean> => {
      const wanted = limit === undefined ? rows : rows.slice(0, limit - count);
      if (wanted.length > 0) {
        reportTimes(wanted);
        await show(wanted);
        count += wanted.length;
      }
      return limit === undefined || count < limit;
    },
    count: () => count,
  };
}

/**
 * Block producers set the block times, which can be a few seconds ahead. The `Date` header has no fractions of a
 * second.
 */
const toleranceSeconds = 60;

export type ServicePresent = ReturnType<typeof createServicePresent>;

/**
 * Tracks the present time of the service, based on the `Date` header of its responses. Without such a header, the local
 * clock is used.
 */
export function createServicePresent(clock: Pick<Clock, "now">) {
  let said: number | undefined;
  return {
    /** Receives the `Date` header of a response. */
    heard: (date: string | undefined): void => {
      const milliseconds = date === undefined ? Number.NaN : Date.parse(date);
      if (!Number.isNaN(milliseconds)) said = milliseconds;
    },
    /**
     * Returns Unix seconds; rows with a later time have a wrong date. Such a row is still written, but it does not show
     * how far the service has progressed: after a row dated in the next century, no row before that time would ever be
     * read.
     */
    latest: () => Math.floor((said ?? clock.now()) / 1000) + toleranceSeconds,
  };
}
