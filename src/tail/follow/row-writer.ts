import type { Instant } from "../../time/time.ts";
import { compareRows, type TailRow } from "./tail-row.ts";

export interface RowWriter {
  /** False when no more rows are wanted. */
  readonly write: (rows: readonly TailRow[]) => Promise<boolean>;
  readonly count: () => number;
}

/** What there is to say about when rows are dated. */
export interface RowTimes {
  /** So many are older than one written before. */
  readonly late: (rows: number, seconds: number) => void;
  /** So many are dated ahead of the service's present; the first of them at that instant. */
  readonly ahead: (rows: number, first: Instant) => void;
  /** Unix seconds that no sound row is later than. */
  readonly latest: () => number;
}

/**
 * Writes rows in the order they come, up to the limit, and tells of those that are older than one written before: they
 * were indexed too late for their place.
 */
export function createRowWriter(
  limit: number | undefined,
  show: (rows: readonly TailRow[]) => Promise<void>,
  { late, ahead, latest }: RowTimes,
): RowWriter {
  let count = 0;
  let last: TailRow | undefined;

  const tellTimes = (rows: readonly TailRow[]): void => {
    let [number, seconds] = [0, 0];
    const present = latest();
    const sound = rows.filter(({ at }) => at.seconds <= present);
    const [first] = rows.filter(({ at }) => at.seconds > present);
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
    write: async (rows) => {
      const wanted = limit === undefined ? rows : rows.slice(0, limit - count);
      if (wanted.length > 0) {
        tellTimes(wanted);
        await show(wanted);
        count += wanted.length;
      }
      return limit === undefined || count < limit;
    },
    count: () => count,
  };
}
