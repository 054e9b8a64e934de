import type { Clock } from "../../../base/context/context.ts";
import type { Instant } from "../../../base/time/time.ts";
import { createQueue } from "../../../base/concurrent.ts";
import { compareRows, type FollowedRow } from "../../../client/followed-row.ts";

interface RowTimes {
  /** Called for rows that are older than one already written. */
  readonly late: (rows: number, seconds: number) => void;
  /** Called for rows after the service's present time; `first` is the time of the first one. */
  readonly ahead: (rows: number, first: Instant) => void;
  /** In Unix seconds. Rows with a later time have a wrong date. */
  readonly latest: () => number;
}

/** The rows of all lists that are followed. One list writes at a time. */
export function createQuota(limit: number | undefined) {
  return { limit, count: 0, inTurn: createQueue() };
}

/**
 * Writes rows in the given order. Rows that are older than one already written were indexed too late. `show` returns how
 * many of the rows were wanted, from the first one on.
 */
export function createRowWriter(
  quota: ReturnType<typeof createQuota>,
  show: (rows: readonly FollowedRow[]) => Promise<number>,
  { late, ahead, latest }: RowTimes,
) {
  let last: FollowedRow | undefined;

  const reportTimes = (rows: readonly FollowedRow[]): void => {
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
    write: async (rows: readonly FollowedRow[]): Promise<boolean> =>
      await quota.inTurn(async () => {
        const { limit = Number.POSITIVE_INFINITY } = quota;
        const wanted = rows.slice(0, limit - quota.count);
        const shown = wanted.length === 0 ? 0 : await show(wanted);
        reportTimes(wanted.slice(0, shown));
        quota.count += shown;
        return quota.count < limit && shown === wanted.length;
      }),
  };
}

/** Block producers may set times a few seconds ahead. The `Date` header has no fractions of a second. */
const toleranceSeconds = 60;

/** A cached response may be this much older than the one before; beyond it, the service's clock was set back. */
const cachedMilliseconds = 86_400_000;

/** Uses the `Date` header of the responses, or the local clock if there is none. */
export function createServicePresent(clock: Pick<Clock, "now">) {
  let said: number | undefined;
  return {
    record: (date: string | undefined): void => {
      const milliseconds = date === undefined ? Number.NaN : Date.parse(date);
      const isCached = said !== undefined && milliseconds < said && said - milliseconds < cachedMilliseconds;
      if (!Number.isNaN(milliseconds) && !isCached) said = milliseconds;
    },
    /**
     * In Unix seconds. A row with a later time has a wrong date. It is written, but does not show how far the service
     * has progressed: otherwise, one row dated in the next century would keep all earlier rows from being read.
     */
    latest: () => Math.floor((said ?? clock.now()) / 1000) + toleranceSeconds,
    /** In Unix seconds. */
    seconds: () => Math.floor((said ?? clock.now()) / 1000),
  };
}
