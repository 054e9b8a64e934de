import { compareInstants, type Instant } from "../../time/time.ts";
import { mergeRows, type TailRow } from "./tail-row.ts";

/** Rows are found even if they are indexed up to this many seconds late. */
export const reachSeconds = 600;
/** Limits memory use for a very busy pool. Reading these rows again takes 50 requests. */
const mostKnown = 5000;

export type KnownRows = ReturnType<typeof createKnownRows>;

/**
 * Each read begins at `from`, so every row in it is either known or new. Memory use is limited by both time and the
 * number of rows. `latest` returns Unix seconds; a row with a later time does not move `from`.
 */
export function createKnownRows(begin: Instant, latest: () => number) {
  const keysOfSecond = new Map<number, string[]>();
  const known = new Set<string>();
  const unlisted = new Set<string>();
  let from = begin;
  let newest = Number.NEGATIVE_INFINITY;

  const moveFrom = (seconds: number): void => {
    const instant = { seconds, fraction: "" };
    if (compareInstants(instant, from) > 0) from = instant;
  };

  const forget = (): void => {
    const oldest = [...keysOfSecond.keys()].toSorted((a, b) => a - b);
    for (const second of oldest) {
      // The newest second must stay complete, because the next read begins no later than that second.
      if (second === newest || (second >= newest - reachSeconds && known.size <= mostKnown)) break;
      for (const key of keysOfSecond.get(second) ?? []) {
        known.delete(key);
        unlisted.delete(key);
      }
      keysOfSecond.delete(second);
      moveFrom(second + 1);
    }
    moveFrom(newest - reachSeconds);
  };

  return {
    /** All rows read since this time are known. */
    from: () => from,
    has: (key: string) => known.has(key),
    add: (rows: readonly TailRow[]): void => {
      const last = latest();
      for (const { key, at } of rows) {
        known.add(key);
        if (at.seconds <= last) newest = Math.max(newest, at.seconds);
        const keys = keysOfSecond.get(at.seconds);
        if (keys === undefined) keysOfSecond.set(at.seconds, [key]);
        else keys.push(key);
      }
      if (rows.length > 0) forget();
    },
    /** The number of known rows that the last complete read returned. */
    listed: () => known.size - unlisted.size,
    /** Receives the rows of a complete read that began at `from`. Other rows are remembered, because they may reappear. */
    setListed: (keys: ReadonlySet<string>): void => {
      unlisted.clear();
      for (const key of known) if (!keys.has(key)) unlisted.add(key);
    },
  };
}

/** Milliseconds between the two reads that decide when a held row is written. */
const settling = 3000;
/** No older rows are expected this many seconds before the newest row, so historical rows are not held. */
const settledSeconds = 30;

export type HeldRows = ReturnType<typeof createHeldRows>;

/**
 * Holds the newest rows, in case an older row is indexed slightly later. A row is written when a second read, some time
 * after the first, has found no new rows before it. `latest` returns Unix seconds; a row with a later time does not
 * cause older rows to be written.
 */
export function createHeldRows(latest: () => number) {
  let held: (TailRow & { readonly seen: number })[] = [];
  return {
    /** The rows are sorted from oldest to newest. `now` is from the monotonic clock. */
    take: (rows: readonly TailRow[], now: number): void => {
      const seen = rows.map((row) => ({ ...row, seen: now }));
      held = mergeRows(held, seen);
    },
    /** Removes, oldest first, the rows that may be written after a read that started at `readFrom`. */
    due: (readFrom: number): readonly TailRow[] => {
      const present = latest();
      const settled = (held.findLast(({ at }) => at.seconds <= present)?.at.seconds ?? 0) - settledSeconds;
      // All rows before a row that is due are written with it.
      const last = held.findLastIndex(({ seen, at }) => seen + settling <= readFrom || at.seconds < settled);
      return held.splice(0, last + 1);
    },
    all: (): readonly TailRow[] => held.splice(0),
    /** The earliest start time of a read that allows the first row to be written; infinite if no row is held. */
    nextDue: () =>
      held.reduce((least, { seen }) => Math.min(least, seen + settling), Number.POSITIVE_INFINITY),
  };
}
