import type { Instant } from "../../time/time.ts";
import { compareInstants } from "../../time/time.ts";
import type { TailRow } from "./tail-row.ts";

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
