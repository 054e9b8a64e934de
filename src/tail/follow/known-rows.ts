import { compareInstants, type Instant } from "../../time/time.ts";
import { mergeRows, type TailRow } from "./tail-row.ts";

/**
 * The rows that a tail has read, as far back as it looks: each read begins at `from`, so whatever it brings is
 * either known or new. Memory is bounded by time and by number.
 */
export interface KnownRows {
  /** Every row since then that was read is known. */
  readonly from: () => Instant;
  readonly has: (key: string) => boolean;
  readonly add: (rows: readonly TailRow[]) => void;
  /** How many of them the service lists, as far as it is known. */
  readonly listed: () => number;
  /** A read of everything since `from` has shown these. What it has not shown stays known, as it may come back. */
  readonly setListed: (keys: ReadonlySet<string>) => void;
}

/** Rows that are indexed up to so many seconds late are found. */
const reachSeconds = 600;
/** Of a pool so busy that there are more in that time, only so many are kept: to go through them takes 50 requests. */
const mostKnown = 5000;

/**
 * `begin`: where the tail begins; it never looks further back. `latest`: unix seconds that rows move it forward up to;
 * one that is dated later is known as well.
 */
export function createKnownRows(begin: Instant, latest: () => number): KnownRows {
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
      // The newest second is kept whole, as the next read begins in it at the latest.
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
    from: () => from,
    has: (key) => known.has(key),
    add: (rows) => {
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
    listed: () => known.size - unlisted.size,
    setListed: (keys) => {
      unlisted.clear();
      for (const key of known) if (!keys.has(key)) unlisted.add(key);
    },
  };
}

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
