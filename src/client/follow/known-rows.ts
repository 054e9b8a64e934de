import { HashTable } from "../seen-keys.ts";
import { hashText, type TextHash } from "../../base/text/text-hash.ts";
import { atSecond, type Instant } from "../../base/time/time.ts";
import { type FollowState, type FollowedRow, mergeRows } from "../followed-row.ts";

/** Rows are found even if they are indexed up to this many seconds late. */
export const reachSeconds = 600;
/** Limits the cost of a very busy pool. Reading these rows again takes 50 requests. */
const maxRead = 5000;
/** While no read is complete, the reads reach back to the last complete one, but no farther than this. */
const maxUnproved = { rows: 20_000, seconds: 86_400 };

type KnownRow = Pick<FollowedRow, "key" | "at">;

export type KnownRows = ReturnType<typeof createKnownRows>;

/**
 * The rows read so far. Each read begins at `from`, which moves only after a complete read: a response that lacks rows,
 * or is older than an earlier one, proves nothing. `latest` returns Unix seconds; a row with a later time does not show
 * how far the reads have come.
 */
export function createKnownRows(begin: Instant, latest: () => number, since: number = begin.seconds) {
  const memory = createRowMemory(Math.min(since, begin.seconds));
  /** The rows that each read covers. A row that the last complete read did not return may reappear. */
  const window = new Map<string, { readonly seconds: number; isListed: boolean }>();
  let from = begin;
  let newest = Number.NEGATIVE_INFINITY;
  let newestBefore = Number.NEGATIVE_INFINITY;

  const moveFrom = (seconds: number): void => {
    if (seconds <= from.seconds) return;
    from = atSecond(seconds);
    for (const [key, row] of window) if (row.seconds < seconds) window.delete(key);
  };

  return {
    /** All rows since this time are read again, and compared with the service's count. */
    from: () => from,
    /** The second of the newest row; negative infinity if there is none. */
    newest: () => newest,
    judge: memory.judge,
    add: (rows: readonly KnownRow[]): void => {
      const last = latest();
      for (const { key, at } of rows) {
        if (at.seconds <= last) newest = Math.max(newest, at.seconds);
        memory.add(key, newest);
        if (at.seconds >= from.seconds && !window.has(key))
          window.set(key, { seconds: at.seconds, isListed: true });
      }
    },
    /**
     * Called after a complete read up to this second, or up to the present. The latter confirms only what the complete
     * read before it has reached, so a single wrong response leaves no gap.
     */
    confirm: (to?: number): void => {
      const seconds = to ?? newestBefore;
      if (to === undefined) newestBefore = newest;
      moveFrom(seconds - reachSeconds);
      if (window.size <= maxRead) return;
      const times = [...window.values()].map((row) => row.seconds).toSorted((a, b) => b - a);
      // The newest second is always read again, because more of its rows may follow.
      moveFrom(Math.min(seconds, (times[maxRead] ?? 0) + 1));
    },
    /** Limits memory use. Returns the start of the range that was given up without a complete read, if any. */
    giveUp: (): Instant | undefined => {
      const isTooMuch = window.size > maxUnproved.rows || newest - from.seconds > maxUnproved.seconds;
      if (!isTooMuch || newest - reachSeconds <= from.seconds) return undefined;
      const left = from;
      moveFrom(newest - reachSeconds);
      return left;
    },
    /** `unwritten` has the keys of known rows that are not yet written. */
    state: (unwritten: ReadonlySet<string>): FollowState => ({
      from: from.seconds,
      rows: [...window].flatMap(([key, { seconds }]) => (unwritten.has(key) ? [] : [[key, seconds]])),
    }),
    /** The number of known rows since `from` that the last complete read returned. */
    listed: () => [...window.values()].filter(({ isListed }) => isListed).length,
    /** Receives the rows of a read that began at `from`. */
    setListed: (keys: ReadonlySet<string>): void => {
      for (const [key, row] of window) row.isListed = keys.has(key);
    },
  };
}

/** The rows of at least this many seconds are remembered, unless there are too many of them. */
const memorySeconds = 86_400;
/** Two tables of this size take 24 MB. */
const maxRemembered = 1_000_000;

/**
 * Remembers rows by the hashes of their keys, so that none is written twice, however old the response is. Two tables
 * alternate: when the newer one is full, the older one is cleared. `begin` is in Unix seconds; rows before it are not
 * wanted.
 */
function createRowMemory(begin: number) {
  let [older, newer] = [new HashTable(), new HashTable()];
  /** Every row since this second is in one of the tables. */
  let reach = begin;
  /** The newer table has the rows since this second. */
  let start = begin;
  const hash: TextHash = { high: 0, low: 0 };

  return {
    /** A forgotten row may have been written or not, so it is never new. */
    judge: ({ key, at }: KnownRow): "new" | "known" | "forgotten" => {
      hashText(key, hash);
      if (newer.has(hash.high, hash.low)) return "known";
      if (older.has(hash.high, hash.low)) {
        // A row that is still listed must stay known, even if its time is in the future.
        newer.add(hash.high, hash.low);
        return "known";
      }
      if (at.seconds >= reach) return "new";
      return at.seconds >= begin ? "forgotten" : "known";
    },
    /** `newest` is the second of the newest row. */
    add: (key: string, newest: number): void => {
      hashText(key, hash);
      newer.add(hash.high, hash.low);
      if (newest - start < memorySeconds && newer.size < maxRemembered) return;
      older.clear();
      [older, newer] = [newer, older];
      reach = start;
      start = newest + 1;
    },
  };
}

/** Milliseconds between the two reads that decide when a held row is written. */
const settling = 3000;
/** The same if no read is complete: the missing rows may precede the held ones. */
const unprovedSettling = 60_000;
/** No older rows are expected this many seconds before the newest row, so historical rows are not held. */
const settledSeconds = 30;

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
