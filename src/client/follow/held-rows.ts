import { mergeRows, type FollowedRow } from "../followed-row.ts";

/** Milliseconds between the two reads that decide when a held row is written. */
const settling = 3000;
/** The same if no read is complete: the missing rows may precede the held ones. */
const unprovedSettling = 60_000;
/** No older rows are expected this many seconds before the newest row, so historical rows are not held. */
const settledSeconds = 30;

export type HeldRows = ReturnType<typeof createHeldRows>;

/**
 * Holds the newest rows, in case an older row is indexed slightly later. A row is written when a second, complete read,
 * some time after the first, has found no new rows before it. `latest` returns Unix seconds; a row with a later time does not
 * cause older rows to be written. If `polledAt` is set, it returns the service's present in Unix seconds, and no read is
 * added for held rows: only rows that are nearly as new as that wait for the next read.
 */
export function createHeldRows(latest: () => number, polledAt?: () => number) {
  let held: (FollowedRow & { readonly seen: number })[] = [];
  let wait = settling;
  return {
    /** The rows are sorted from oldest to newest. `now` is from the monotonic clock. */
    take: (rows: readonly FollowedRow[], now: number): void => {
      const seen = rows.map((row) => ({ ...row, seen: now }));
      held = mergeRows(held, seen);
    },
    /** Removes, oldest first, the rows that may be written after a read that started at `readFrom`. */
    due: (readFrom: number, isComplete: boolean): readonly FollowedRow[] => {
      wait = isComplete ? settling : unprovedSettling;
      const present = latest();
      const newest = held.findLast(({ at }) => at.seconds <= present)?.at.seconds ?? 0;
      const settled = polledAt === undefined ? newest - settledSeconds : polledAt() - settling / 1000;
      // All rows before a row that is due are written with it.
      const last = held.findLastIndex(
        ({ seen, at }) => seen + wait <= readFrom || (isComplete && at.seconds < settled),
      );
      return held.splice(0, last + 1);
    },
    all: (): readonly FollowedRow[] => held.splice(0),
    /** The earliest start time of a read that allows the first row to be written; infinite if none is needed. */
    nextDue: () =>
      polledAt === undefined
        ? held.reduce((least, { seen }) => Math.min(least, seen + wait), Number.POSITIVE_INFINITY)
        : Number.POSITIVE_INFINITY,
    keys: () => new Set(held.map(({ key }) => key)),
  };
}
