import { compareRows, type TailRow } from "./tail-row.ts";

export interface RowWriter {
  /** False when no more rows are wanted. */
  readonly write: (rows: readonly TailRow[]) => Promise<boolean>;
  readonly count: () => number;
}

/**
 * Writes rows in the order they come, up to the limit, and tells of those that are older than one written before: they
 * were indexed too late for their place.
 */
export function createRowWriter(
  limit: number | undefined,
  show: (rows: readonly TailRow[]) => Promise<void>,
  late: (rows: number, seconds: number) => void,
): RowWriter {
  let count = 0;
  let last: TailRow | undefined;

  const tellLate = (rows: readonly TailRow[]): void => {
    let [number, seconds] = [0, 0];
    for (const row of rows) {
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
        tellLate(wanted);
        await show(wanted);
        count += wanted.length;
      }
      return limit === undefined || count < limit;
    },
    count: () => count,
  };
}
