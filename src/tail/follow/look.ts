import type { Client } from "../../client/client.ts";
import type { Page } from "../../client/pages/page.ts";
import { walkPages } from "../../client/pages/walk-pages.ts";
import type { Clock } from "../../context/context.ts";
import type { Question } from "../../contract/args.ts";
import { rowShape } from "../../contract/endpoint.ts";
import { compareInstants, type Instant, toWire } from "../../time/time.ts";
import { createKnownRows, type KnownRows } from "./known-rows.ts";
import { readTailRow, type TailRow } from "./tail-row.ts";
import { continuationOf, type WrittenRows } from "./written-rows.ts";

export interface Beginning {
  readonly client: Client;
  readonly question: Question;
  readonly pageSize: number;
  /** Set by the user. */
  readonly from: Instant | undefined;
  /** Undefined if earlier runs wrote no rows. */
  readonly readWritten: () => Promise<WrittenRows | undefined>;
}

export type Tailing = Awaited<ReturnType<typeof beginTail>>;

/**
 * A follow starts at `from` if set, otherwise after the rows that earlier runs wrote. If there are none, it starts at
 * the service's present time, whose rows count as known and are not written. `latest` returns Unix seconds; rows with a
 * later time have a wrong date.
 */
export async function beginTail(
  { client, question, pageSize, from, readWritten }: Beginning,
  latest: () => number,
  clock: Pick<Clock, "elapsed">,
) {
  const present = from ?? (await findPresent(client, question, latest));
  // The files are read after a response has shown the service's time: with a wrong local clock, rows would be missed.
  const written = await readWritten();
  const earlier = from === undefined && written !== undefined ? continuationOf(written, latest()) : undefined;
  const known = createKnownRows(earlier?.from ?? present, latest);
  if (earlier !== undefined) known.add(earlier.rows);
  const take = createRangeReader(client, question, pageSize, known, clock);
  if (from === undefined && earlier === undefined)
    for await (const { rows } of catchUp(take, known, latest)) known.add(rows);
  return { take, known };
}

/**
 * The second of the newest row that is not in the service's future; the epoch for a pool without rows. The local clock
 * may be ahead of the service's, so relying on it could lose rows.
 */
async function findPresent(
  client: Client,
  { endpoint, args }: Question,
  latest: () => number,
): Promise<Instant> {
  const newest = await findNewest(client, { endpoint, args });
  if (newest.seconds <= latest()) return newest;
  const to = toWire({ seconds: latest(), fraction: "" });
  return await findNewest(client, { endpoint, args: new Map([...args, ["to", to]]) });
}

async function findNewest(client: Client, { endpoint, args }: Question): Promise<Instant> {
  const shape = rowShape(endpoint);
  for await (const { rows } of walkPages(client, endpoint, args, { pageSize: 1, isStrict: true })) {
    const [value] = rows.values();
    if (value === undefined) break;
    return { seconds: readTailRow(shape, rows.text(0), value).at.seconds, fraction: "" };
  }
  return { seconds: 0, fraction: "" };
}

/** Ends at the service's present time if `to` is missing. Both bounds are sent unchanged. */
interface Span {
  readonly from: Instant;
  readonly to?: Instant;
}

type RangeRead =
  /** Oldest first. */
  | { readonly kind: "rows"; readonly rows: readonly TailRow[] }
  | { readonly kind: "too-many"; readonly rows: number; readonly newest: Instant };

type RangeReader = (span: Span, most: number) => Promise<RangeRead>;

/** If a time range still has fewer rows than its total after this many reads, the result is accepted. */
const walksASpan = 3;
/**
 * Milliseconds after which all rows since `known.from` are read again, even if the total matches: the total stays the
 * same if one row disappears and another is indexed late. Rows are remembered for twice this time.
 */
const wholeWalkGap = 300_000;

/**
 * A failed read returns nothing, so older rows are never skipped in favor of newer ones. Ranges with more than `most`
 * new rows are not read.
 */
function createRangeReader(
  client: Client,
  { endpoint, args }: Question,
  pageSize: number,
  known: KnownRows,
  { elapsed }: Pick<Clock, "elapsed">,
): RangeReader {
  const shape = rowShape(endpoint);
  /** How far the total repeatedly exceeds the number of listed rows. */
  let excess = 0;
  /** Rows that are known from the start were not read here, so the first read compares them with the list. */
  let wholeWalk = known.listed() > 0 ? Number.NEGATIVE_INFINITY : elapsed();

  const walk = async ({ from, to }: Span, most: number, isOfKnown: boolean) => {
    const asked = new Map([...args, ["from", toWire(from)]]);
    if (to !== undefined) asked.set("to", toWire(to));
    const listed = new Set<string>();
    const fresh = new Map<string, TailRow>();
    let newest: Instant | undefined;
    let items: number | undefined;
    const began = elapsed();
    const isWhole = began - wholeWalk >= wholeWalkGap;
    // The next page is probably the last one needed, so pages requested in advance would waste credits.
    const width = isOfKnown && !isWhole && known.listed() > 0 ? 1 : client.width;
    // The count below detects rows that are still missing, and the next pull reads them.
    const again: Client["again"] = async (repeats, problem) =>
      repeats === 1 && (await client.again(repeats, problem));
    const asking: Client = { ...client, width, again };
    for await (const page of walkPages(asking, endpoint, asked, { pageSize, isStrict: false })) {
      let isKnown = page.rows.length > 0;
      for (const [index, value] of page.rows.values().entries()) {
        const row = readTailRow(shape, page.rows.text(index), value);
        newest ??= row.at;
        listed.add(row.key);
        isKnown &&= known.has(row.key);
        if (!known.has(row.key) && !fresh.has(row.key)) fresh.set(row.key, row);
      }
      items ??= itemsOf(page);
      const count = Math.max(fresh.size, items - (isOfKnown ? known.listed() : 0));
      if (count > most && newest !== undefined) return { kind: "too-many", rows: count, newest } as const;
      const isAll = items > 0 ? known.listed() + fresh.size === items - excess : isKnown;
      if (isOfKnown && !isWhole && isAll) return inOrder(fresh);
    }
    return { kind: "end", listed, fresh, items: items ?? 0, began } as const;
  };

  return async (span, most) => {
    const isOfKnown = span.to === undefined && compareInstants(span.from, known.from()) === 0;
    for (let walks = 1; ; walks += 1) {
      const walked = await walk(span, most, isOfKnown);
      if (walked.kind !== "end") return walked;
      const { listed, fresh, items, began } = walked;
      const missing = Math.max(0, items - listed.size);
      // A page that is repeated in place of the last one looks like the end of the list.
      if (missing > (isOfKnown ? excess : 0) && walks < walksASpan) continue;
      if (isOfKnown) {
        excess = missing;
        wholeWalk = began;
        known.setListed(listed);
      }
      return inOrder(fresh);
    }
  };
}

/**
 * The number of rows in the range, or 0 if its first page has no total. As long as it matches the number of known and
 * new rows, no row was indexed late, and one page is sufficient.
 */
function itemsOf({ rows, repeats = 0, left }: Page): number {
  return left === undefined ? 0 : rows.length + repeats + left;
}

/** Keeps the service's order for rows with the same time. A pull that goes back a page may find some rows late. */
function inOrder(fresh: ReadonlyMap<string, TailRow>): RangeRead {
  const rows = [...fresh.values()].toReversed().toSorted((a, b) => compareInstants(a.at, b.at));
  return { kind: "rows", rows };
}

/** Oldest first. These rows come after all those found earlier. */
interface Found {
  readonly rows: readonly TailRow[];
  /** The rows extend to the service's present time, so late-indexed rows may still precede the last of them. */
  readonly isPresent: boolean;
}

/** Limits memory: a time slice is read completely before it is written, because the newest rows come first. */
const mostRows = 3000;
/** Target number of rows per slice. */
const aimedRows = 2000;

/**
 * Returns all new rows up to the present. The service lists the newest rows first, so if there are too many for memory,
 * they are read in time slices, oldest first. Adjacent slices share a boundary, so no row is lost, whether or not the
 * service includes the end of a range. The consumer adds the rows it takes to `known`. `latest` returns Unix seconds;
 * rows with a later time are part of the last slice.
 */
export async function* catchUp(
  take: RangeReader,
  known: KnownRows,
  latest: () => number,
): AsyncGenerator<Found> {
  let start = known.from();
  let width: number | undefined;
  for (;;) {
    const present = await take({ from: known.from() }, mostRows);
    if (present.kind === "rows") {
      yield { rows: present.rows, isPresent: true };
      return;
    }
    const end = { seconds: Math.min(present.newest.seconds, latest()), fraction: "" };
    if (compareInstants(start, end) >= 0) {
      // All rows are in the same second, so there is no smaller slice.
      const all = await take({ from: known.from() }, Number.POSITIVE_INFINITY);
      if (all.kind === "rows") yield { rows: all.rows, isPresent: true };
      return;
    }
    width ??= fitted(end.seconds - start.seconds, present.rows);
    while (compareInstants(start, end) < 0) {
      const to: Instant = { seconds: Math.min(start.seconds + width, end.seconds), fraction: "" };
      const taken = to.seconds - start.seconds;
      const slice = await take({ from: start, to }, taken > 1 ? mostRows : Number.POSITIVE_INFINITY);
      if (slice.kind === "too-many") {
        width = Math.min(fitted(taken, slice.rows), Math.floor(taken / 2));
        continue;
      }
      yield { rows: slice.rows, isPresent: false };
      start = to;
      width = Math.min(fitted(taken, slice.rows.length), taken * 2);
    }
  }
}

/** The number of seconds that should contain `aimedRows` rows, given that `seconds` contained `rows`. */
function fitted(seconds: number, rows: number): number {
  return Math.max(1, Math.floor((seconds * aimedRows) / Math.max(1, rows)));
}
