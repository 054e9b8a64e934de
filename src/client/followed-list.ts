import type { Args } from "../api/endpoint.ts";
import { plainList } from "./list-plan.ts";
import { readPages } from "./read-pages.ts";
import type { Clock } from "../base/context/context.ts";
import { atSecond, compareInstants, type Instant, SECONDS_PER_DAY, wireOf } from "../base/time/time.ts";
import { createKnownRows, type KnownRows } from "./follow/known-rows.ts";
import {
  createRangeReader,
  followedRowsOf,
  type ListSource,
  oldestFirst,
  type RangeReader,
  type RowsRead,
} from "./follow/read-range.ts";
import type { Earlier, FollowState, FollowedRow } from "./followed-row.ts";

interface Beginning extends ListSource {
  /** Set by the user. */
  readonly from: Instant | undefined;
  /** From a checkpoint. */
  readonly saved: Earlier | undefined;
  /** From the files alone. */
  readonly findEarlier: () => Promise<Earlier | undefined>;
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
 * the service's present time, whose rows count as known and are not written.
 */
export async function beginFollowing(
  { from, saved, findEarlier, isOfMany, ...source }: Beginning,
  clock: Pick<Clock, "elapsed">,
): Promise<RowSource> {
  const { latest } = source;
  const isNew = from === undefined && saved === undefined;
  const present = isNew ? await findPresent(source) : undefined;
  const earlier = saved ?? (await findEarlier());
  const begin = earlier === undefined ? (from ?? atSecond(present?.at.seconds ?? 0)) : atSecond(earlier.from);
  const known = createKnownRows(begin, latest, earlier?.since);
  const before = earlier?.rows.map(([key, seconds]) => ({ key, at: atSecond(seconds) }));
  known.add(before ?? (present === undefined ? [] : [present]));
  const reader = createRangeReader(source, known, clock);
  const read = (): AsyncGenerator<Found> => catchUp(reader, known, latest);
  const rows = read();
  if (isNew && earlier === undefined && !isOfMany) while ((await rows.next()).done !== true);
  return { read, recheckAt: reader.recheckAt, from: known.from, giveUp: known.giveUp, state: known.state };
}

/**
 * The newest row that is not in the service's future; undefined for a pool without rows. The local clock may be ahead of
 * the service's, so relying on it could lose rows.
 */
async function findPresent(source: ListSource): Promise<FollowedRow | undefined> {
  const { request, latest } = source;
  const newest = await findNewest(source, request.args);
  if (newest === undefined || newest.at.seconds <= latest()) return newest;
  return await findNewest(source, new Map([...request.args, ["to", wireOf(latest())]]));
}

async function findNewest(source: ListSource, args: Args): Promise<FollowedRow | undefined> {
  // An empty response by mistake would make the entire history look new.
  for (let repeats = 1; ; repeats += 1) {
    const row = await readFirst(source, args);
    if (row !== undefined || !(await source.client.again(repeats, "the list is empty"))) return row;
  }
}

export async function readFirst(source: ListSource, args: Args): Promise<FollowedRow | undefined> {
  const { client, request, isStrict } = source;
  for await (const page of readPages(client, request.endpoint, args, plainList(1, isStrict)))
    return followedRowsOf(page, request)[0];
  return undefined;
}

interface Found extends Omit<RowsRead, "kind"> {
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
 * service includes the end of a range. All returned rows are known. Rows later than `latest` are part of the last slice.
 */
async function* catchUp(reader: RangeReader, known: KnownRows, latest: () => number): AsyncGenerator<Found> {
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
    const end = atSecond(Math.min(present.newest.seconds, latest()));
    if (compareInstants(start, end) >= 0) {
      // All rows are in the same second, so there is no smaller slice.
      const all = await reader.read({ from: known.from(), to: undefined }, Number.POSITIVE_INFINITY);
      if (all.kind === "rows") yield found(true, all);
      return;
    }
    width ??= fitted(end.seconds - start.seconds, present.rows);
    let wasEmpty = false;
    while (compareInstants(start, end) < 0) {
      const to = atSecond(Math.min(start.seconds + width, end.seconds));
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

/** The service may list an item this many seconds after its creation, and a filter may match it only then. */
const reach = SECONDS_PER_DAY;
/** A read goes back at least this many times as far as the one before was ago. */
const overlap = 4;
/** If the entire day takes no more pages than this, every read covers it. */
const fewPages = 2;

interface NewRows extends Omit<Beginning, "findEarlier" | "isOfMany"> {
  /** The service's present in Unix seconds. */
  readonly present: () => number;
  /** Called right after the response with the row. */
  readonly shown: (row: FollowedRow) => FollowedRow;
}

/**
 * Follows a search for items by the time of their creation: each is returned once, when the search first lists it. Every
 * second read goes back twice as far, every fourth one four times as far, and so on, up to a day. An item that is listed
 * late is thus found before twice that time has passed, and the long reads cost little.
 */
export async function beginNewRows({ from, saved, present, shown, ...source }: NewRows): Promise<RowSource> {
  const { client, request, pageSize, isStrict, latest } = source;
  const newestFirst = new Map([...request.args, ["order_by", "created_at"], ["sort", "desc"]]);
  const list = plainList(pageSize, isStrict);
  let begin = saved?.from ?? from?.seconds ?? (await findStart());
  const known = new Map(saved?.rows);
  // Rows that are dated in the future do not show how far the reads have come.
  const newest = (): number =>
    [...known.values()].reduce((a, b) => (b > present() + reach ? a : Math.max(a, b)), begin);
  let last = newest();
  let [reads, pagesOfDay] = [0, 0];

  /** A response shows the service's time, which the local clock may not have. */
  async function findStart(): Promise<number> {
    const first = await readFirst(source, newestFirst);
    // A row with a later time has a wrong date: no pool would ever be newer.
    return Math.max(present(), first !== undefined && first.at.seconds <= latest() ? first.at.seconds : 0);
  }

  async function* read(): AsyncGenerator<Found> {
    const now = present();
    reads += 1;
    // Only after a wrong `Date` header.
    if (from === undefined && begin > latest()) begin = now;
    const depth = overlap * Math.max(15, now - last) * (reads & -reads);
    const isOfDay = pagesOfDay <= fewPages || depth >= reach || last > now;
    let since = Math.max(begin, isOfDay ? Math.min(now, last) - reach : now - depth);
    let [width, mostPages, isLast] = [2 * reach, 0, false];
    // After weeks without a run, a single list would be too long for memory, and a failure would discard all of it.
    while (!isLast) {
      const until = since + width;
      isLast = until >= now;
      const args = new Map([...newestFirst, ["created_after", wireOf(since)]]);
      if (!isLast) args.set("created_before", wireOf(until));
      const fresh = new Map<string, FollowedRow>();
      let pages = 0;
      for await (const page of readPages(client, request.endpoint, args, list)) {
        pages += 1;
        for (const row of followedRowsOf(page, request))
          if (row.at.seconds >= since && !known.has(row.key)) fresh.set(row.key, shown(row));
      }
      const rows = oldestFirst(fresh.values());
      for (const { key, at } of rows) known.set(key, at.seconds);
      // The next run reads from a day before the newest known row, which can be weeks ago.
      const needed = Math.min(now - 2 * reach, newest() - reach);
      for (const [key, seconds] of known) if (seconds < needed) known.delete(key);
      yield { rows, isPresent: false, doubt: undefined, missing: 0, forgotten: 0 };
      mostPages = Math.max(mostPages, pages);
      if (pages <= fewPages) width *= 4;
      since = until;
      last = Math.min(until, now);
    }
    pagesOfDay = isOfDay ? mostPages : Math.max(mostPages, pagesOfDay);
  }

  return {
    read,
    recheckAt: () => Number.POSITIVE_INFINITY,
    from: () => atSecond(begin),
    giveUp: () => undefined,
    state: (unwritten) => ({ from: begin, rows: [...known].filter(([key]) => !unwritten.has(key)) }),
  };
}
