import { mergeRows, type TailRow } from "./tail-row.ts";

/**
 * Rows that were read and are not written yet: the newest ones, in case that a row of before them is indexed a little
 * later. Written is what a second read, some time after the first, has found nothing new before.
 */
export interface HeldRows {
  /** Oldest first; `now` is the time that cannot jump. */
  readonly take: (rows: readonly TailRow[], now: number) => void;
  /** Takes out, oldest first, what a read that began at `readFrom` lets be written. */
  readonly due: (readFrom: number) => readonly TailRow[];
  readonly all: () => readonly TailRow[];
  /** When a read should begin for the first of them to be due; undefined where there is none. */
  readonly nextDue: () => number | undefined;
}

interface HeldRow extends TailRow {
  readonly seen: number;
}

/** Milliseconds between the two reads. */
const settling = 3000;
/** Nothing is expected any more before a row that has others so many seconds after it: history is not held. */
const settledSeconds = 30;

/** `latest`: unix seconds; a row that is dated later does not settle those before it. */
export function createHeldRows(latest: () => number): HeldRows {
  let held: HeldRow[] = [];
  const takeOut = (count: number): readonly TailRow[] => {
    const taken = held.slice(0, count);
    held = held.slice(count);
    return taken;
  };
  return {
    take: (rows, now) => {
      held = mergeRows(
        held,
        rows.map((row) => ({ ...row, seen: now })),
      );
    },
    due: (readFrom) => {
      const last = latest();
      const settled = (held.findLast(({ at }) => at.seconds <= last)?.at.seconds ?? 0) - settledSeconds;
      // What stands before a row that is due is written with it.
      return takeOut(
        held.findLastIndex(({ seen, at }) => seen + settling <= readFrom || at.seconds < settled) + 1,
      );
    },
    all: () => takeOut(held.length),
    nextDue: () =>
      held.length === 0
        ? undefined
        : held.reduce((least, { seen }) => Math.min(least, seen + settling), Number.POSITIVE_INFINITY),
  };
}
