import { compareInstants, type Instant } from "../../time/time.ts";
import { mergeRows, type TailRow } from "./tail-row.ts";

/** Rows that are indexed up to this many seconds late are found. */
export const reachSeconds = 600;
/** Of a very busy pool, keep only this many rows: to read them again takes 50 requests. */
const mostKnown = 5000;

export type KnownRows = ReturnType<typeof createKnownRows>;

/**
 * The rows that were read, as far back as reads go: each read begins at `from`, so every row in it is either known or new.
 * Memory is limited by time and by number.
 *
 * @param begin the first time that is ever read
 * @param latest unix seconds; a row that is dated later is known too, but does not move `from`
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
      // Keeps the newest second complete, as the next read begins in it at the latest.
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
    /** Every row since then that was read is known. */
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
    /** The number of known rows that the service lists, as of the last complete read. */
    listed: () => known.size - unlisted.size,
    /** A read of everything since `from` has shown these. Other rows stay known, as they may come back. */
    setListed: (keys: ReadonlySet<string>): void => {
      unlisted.clear();
      for (const key of known) if (!keys.has(key)) unlisted.add(key);
    },
  };
}

/** Milliseconds between the two reads that a held row waits for. */
const settling = 3000;
/** A row this many seconds older than the newest is not held, since nothing older is expected: history is never held. */
const settledSeconds = 30;

export type HeldRows = ReturnType<typeof createHeldRows>;

/**
 * The newest rows, read but not written yet, in case an older row is indexed a little later. A row is written when a second
 * read, some time after the first, has found nothing new before it.
 *
 * @param latest unix seconds; a row that is dated later does not settle older ones
 */
export function createHeldRows(latest: () => number) {
  let held: (TailRow & { readonly seen: number })[] = [];
  const takeOut = (count: number): readonly TailRow[] => {
    const taken = held.slice(0, count);
    held = held.slice(count);
    return taken;
  };
  return {
    /** Oldest first; `now` is the time that cannot jump. */
    take: (rows: readonly TailRow[], now: number): void => {
      const seen = rows.map((row) => ({ ...row, seen: now }));
      held = mergeRows(held, seen);
    },
    /** Removes and returns, oldest first, the rows that a read begun at `readFrom` allows to be written. */
    due: (readFrom: number): readonly TailRow[] => {
      const last = latest();
      const settled = (held.findLast(({ at }) => at.seconds <= last)?.at.seconds ?? 0) - settledSeconds;
      // Rows before a row that is due are written with it.
      return takeOut(
        held.findLastIndex(({ seen, at }) => seen + settling <= readFrom || at.seconds < settled) + 1,
      );
    },
    all: () => takeOut(held.length),
    /** The start of the read that lets the first row be written; infinite if no row is held. */
    nextDue: () =>
      held.reduce((least, { seen }) => Math.min(least, seen + settling), Number.POSITIVE_INFINITY),
  };
}
