import { plainList } from "./list-plan.ts";
import { readPages } from "./read-pages.ts";
import type { Clock } from "../base/context/context.ts";
import { atSecond, compareInstants, type Instant, wireOf } from "../base/time/time.ts";
import { createKnownRows, type KnownRows } from "./follow/known-rows.ts";
import { createRangeReader, type RangeReader, type RowsRead } from "./follow/read-range.ts";
import type { FollowState, FollowedRow } from "./followed-row.ts";
import { type ListSource, followedRowsOf } from "./follow/list-reader.ts";

/** Where earlier runs ended. */
export interface Earlier {
  readonly from: Instant;
  readonly rows: readonly Pick<FollowedRow, "key" | "at">[];
  /** In Unix seconds. Except for `rows`, no row since this time was written. */
  readonly since: number | undefined;
}

export interface Beginning extends ListSource {
  /** Set by the user. */
  readonly from: Instant | undefined;
  /** From a checkpoint. */
  readonly saved: Earlier | undefined;
  /** From the files alone. */
  readonly findEarlier: () => Earlier | undefined;
  /** One of many pools: a few rows of the second in which the follow starts are not worth a request for each pool. */
  readonly isOfMany: boolean;
}

/** A list that is followed. */
export interface RowSource {
  /** Returns the new rows up to the present. All returned rows are known. */
  readonly read: () => AsyncIterable<Found>;
  /** When to read again because of a doubt, on the monotonic clock; infinite without a doubt. */
  readonly recheckAt: () => number;
  /** The start of the range that the next read requests. */
  readonly from: () => Instant;
  readonly giveUp: () => Instant | undefined;
  readonly state: (unwritten: ReadonlySet<string>) => FollowState;
}

/**
 * A follow starts at `from` if set, otherwise after the rows that earlier runs wrote. If there are none, it starts at
 * the service's present time, whose rows count as known and are not written. `latest` returns Unix seconds; rows with a
 * later time have a wrong date.
 */
export async function beginFollowing(
  { from, saved, findEarlier, isOfMany, ...source }: Beginning,
  latest: () => number,
  clock: Pick<Clock, "elapsed">,
): Promise<RowSource> {
  const isNew = from === undefined && saved === undefined;
  const present = isNew ? await findPresent(source, latest) : undefined;
  // The files are read after a response has shown the service's time: with a wrong local clock, rows would be missed.
  const earlier = saved ?? findEarlier();
  const begin = earlier?.from ?? from ?? atSecond(present?.at.seconds ?? 0);
  const known = createKnownRows(begin, latest, earlier?.since);
  known.add(earlier?.rows ?? (present === undefined ? [] : [present]));
  const reader = createRangeReader(source, known, latest, clock);
  const read = (): AsyncGenerator<Found> => catchUp(reader, known, latest);
  const rows = read();
  if (isNew && earlier === undefined && !isOfMany) while ((await rows.next()).done !== true);
  return { read, recheckAt: reader.recheckAt, from: known.from, giveUp: known.giveUp, state: known.state };
}

/**
 * The newest row that is not in the service's future; undefined for a pool without rows. The local clock may be ahead of
 * the service's, so relying on it could lose rows.
 */
async function findPresent(source: ListSource, latest: () => number): Promise<FollowedRow | undefined> {
  const newest = await findNewest(source);
  if (newest === undefined || newest.at.seconds <= latest()) return newest;
  return await findNewest(source, wireOf(latest()));
}

async function findNewest(source: ListSource, to?: string): Promise<FollowedRow | undefined> {
  const { client, request, isStrict } = source;
  const args = new Map([...request.args, ...(to === undefined ? [] : [["to", to] as const])]);
  // An empty response by mistake would make the entire history look new.
  for (let repeats = 1; ; repeats += 1) {
    for await (const page of readPages(client, request.endpoint, args, plainList(1, isStrict))) {
      const [row] = followedRowsOf(page, request);
      if (row !== undefined) return row;
      break;
    }
    if (!(await client.again(repeats, "the list is empty"))) return undefined;
  }
}

export interface Found extends Omit<RowsRead, "kind"> {
  /** The rows extend to the service's present time, so late-indexed rows may still precede the last of them. */
  readonly isPresent: boolean;
}

/** Limits memory: a time slice is read completely before it is written, because the newest rows come first. */
const maxRows = 3000;
/** Target number of rows per slice. */
const aimedRows = 2000;

/**
 * Returns all new rows up to the present. The service lists the newest rows first, so if there are too many for memory,
 * they are read in time slices, oldest first. Adjacent slices share a boundary, so no row is lost, whether or not the
 * service includes the end of a range. All returned rows are known. `latest` returns Unix seconds; rows with a later
 * time are part of the last slice.
 */
export async function* catchUp(
  reader: RangeReader,
  known: KnownRows,
  latest: () => number,
): AsyncGenerator<Found> {
  const found = (isPresent: boolean, read: RowsRead, to?: Instant): Found => {
    known.add(read.rows);
    if (read.doubt === undefined) known.confirm(to?.seconds);
    return { ...read, isPresent };
  };
  let start = known.from();
  let width: number | undefined;
  for (;;) {
    const present = await reader.read({ from: known.from(), to: undefined }, maxRows);
    if (present.kind === "rows") return yield found(true, present);
    const end = { seconds: Math.min(present.newest.seconds, latest()), fraction: "" };
    if (compareInstants(start, end) >= 0) {
      // All rows are in the same second, so there is no smaller slice.
      const all = await reader.read({ from: known.from(), to: undefined }, Number.POSITIVE_INFINITY);
      if (all.kind === "rows") yield found(true, all);
      return;
    }
    width ??= fitted(end.seconds - start.seconds, present.rows);
    let wasEmpty = false;
    while (compareInstants(start, end) < 0) {
      const to: Instant = { seconds: Math.min(start.seconds + width, end.seconds), fraction: "" };
      const taken = to.seconds - start.seconds;
      const slice = await reader.read({ from: start, to }, taken > 1 ? maxRows : Number.POSITIVE_INFINITY);
      if (slice.kind === "too-many") {
        width = Math.min(fitted(taken, slice.rows), Math.floor(taken / 2));
        continue;
      }
      // Newer slices have to wait, so that the rows stay in order.
      if (slice.doubt?.kind === "incomplete" && slice.doubt.failure !== undefined) throw slice.doubt.failure;
      // A second response shows whether the slice is really empty, and covers more time.
      wasEmpty = !wasEmpty && slice.rows.length === 0 && compareInstants(to, end) < 0;
      if (wasEmpty) {
        width = taken * 4;
        continue;
      }
      yield found(false, slice, to);
      start = to;
      width = Math.min(fitted(taken, slice.rows.length), taken * 2);
    }
  }
}

/** The number of seconds that should contain `aimedRows` rows, given that `seconds` contained `rows`. */
function fitted(seconds: number, rows: number): number {
  return Math.max(1, Math.floor((seconds * aimedRows) / Math.max(1, rows)));
}
