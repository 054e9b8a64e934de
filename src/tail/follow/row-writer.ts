import type { Clock } from "../../context/context.ts";
import type { Instant } from "../../time/time.ts";
import { compareRows, type TailRow } from "./tail-row.ts";

/** Reports on how rows are dated. */
interface RowTimes {
  /** The number of rows that are older than one written before. */
  readonly late: (rows: number, seconds: number) => void;
  /** The number of rows that are dated ahead of the service's present, and the time of the first of them. */
  readonly ahead: (rows: number, first: Instant) => void;
  /** Unix seconds; no sound row is later. */
  readonly latest: () => number;
}

/**
 * Writes rows in the given order, up to the limit, and reports those that are older than one written before: they were
 * indexed too late for their place.
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
    /** Returns false when no more rows are wanted. */
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

/** Blocks are dated by those who make them, at times a few seconds ahead; the header has no fractions of a second. */
const toleranceSeconds = 60;

export type ServicePresent = ReturnType<typeof createServicePresent>;

/** The service's present, from the `Date` header of its responses; our clock's where no response has one. */
export function createServicePresent(clock: Pick<Clock, "now">) {
  let said: number | undefined;
  return {
    /** Receives the `Date` header of a response. */
    heard: (date: string | undefined): void => {
      const milliseconds = date === undefined ? Number.NaN : Date.parse(date);
      if (!Number.isNaN(milliseconds)) said = milliseconds;
    },
    /**
     * Unix seconds; no sound row is later. A row dated ahead of it is still a row, but does not show how far the service
     * has come: after one in the next century, no row before then would ever be read.
     */
    latest: () => Math.floor((said ?? clock.now()) / 1000) + toleranceSeconds,
  };
}
