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

/** Where a follow starts. */
export interface Beginning {
  readonly client: Client;
  readonly question: Question;
  readonly pageSize: number;
  /** The user's start time. */
  readonly from: Instant | undefined;
  /** Reads what earlier runs wrote; undefined if there is nothing. */
  readonly readWritten: () => Promise<WrittenRows | undefined>;
}

export type Tailing = Awaited<ReturnType<typeof beginTail>>;

/**
 * Starts at `from`; without it after the rows of earlier runs, and without those at the service's present, whose rows are
 * known and not written. `latest`: unix seconds; no sound row is later.
 */
export async function beginTail(
  { client, question, pageSize, from, readWritten }: Beginning,
  latest: () => number,
  clock: Pick<Clock, "elapsed">,
) {
  const present = from ?? (await findPresent(client, question, latest));
  // Only after a response has shown the service's time: our clock may be wrong, and would hide rows or end at wrong ones.
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
 * The second of the newest row that is not dated ahead of the service's present. The service's clock decides: if ours were
 * ahead of it, rows would be lost. For a pool without rows, the epoch.
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

/** A time range; without `to` up to the service's present. Both ends are sent as they are. */
interface Span {
  readonly from: Instant;
  readonly to?: Instant;
}

type RangeRead =
  /** New rows, oldest first. */
  | { readonly kind: "rows"; readonly rows: readonly TailRow[] }
  | { readonly kind: "too-many"; readonly rows: number; readonly newest: Instant };

type RangeReader = (span: Span, most: number) => Promise<RangeRead>;

/** Pulls of a range that return fewer rows than its total before that is accepted. */
const walksASpan = 3;
/**
 * Milliseconds after which everything since `known.from` is read again, even if the total fits: a row that disappears hides
 * one that is indexed late between the same two reads. Half of the time for which rows are known.
 */
const wholeWalkGap = 300_000;

/**
 * Reads a range of a pool's transactions. Its result is complete: a read that fails returns nothing, so no older row is
 * missed below newer ones. More than `most` new rows are not read.
 */
function createRangeReader(
  client: Client,
  { endpoint, args }: Question,
  pageSize: number,
  known: KnownRows,
  { elapsed }: Pick<Clock, "elapsed">,
): RangeReader {
  const shape = rowShape(endpoint);
  /** By how much the total exceeds the listed rows, repeatedly. */
  let excess = 0;
  /** Rows known from the start were not read here, so they are compared with the list at once. */
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
    // Most likely the next page is the last one needed, and pages requested in advance would be paid for in vain.
    const width = isOfKnown && !isWhole && known.listed() > 0 ? 1 : client.width;
    // The count below finds rows that are still missing, and the next pull reads them.
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
 * The number of rows in the range, from its first page; 0 if the page does not show it. The known rows and the new ones are
 * counted against it: as long as the numbers are equal, no row was indexed late, and one page is enough.
 */
function itemsOf({ rows, repeats = 0, left }: Page): number {
  return left === undefined ? 0 : rows.length + repeats + left;
}

/** Keeps the service's order within one time; a pull that had to look back has found some rows later than others. */
function inOrder(fresh: ReadonlyMap<string, TailRow>): RangeRead {
  const rows = [...fresh.values()].toReversed().toSorted((a, b) => compareInstants(a.at, b.at));
  return { kind: "rows", rows };
}

/** New rows, oldest first, and after all earlier ones. */
interface Found {
  readonly rows: readonly TailRow[];
  /** Up to the service's present: rows indexed a little late may still come before the last of these. */
  readonly isPresent: boolean;
}

/** Rows in memory at once: the service lists the newest first, so a slice of time is read in full before it is written. */
const mostRows = 3000;
/** Rows that a slice should have. */
const aimedRows = 2000;

/**
 * Returns everything new, up to the present. The service lists the newest rows first; if there are too many for memory, they
 * are read in slices of time, oldest first. Slices share their edge, so no row is lost whether the service includes an end
 * or not, and none is repeated, since it is known the second time. The consumer adds the rows it takes to `known`.
 * `latest`: unix seconds; rows that are dated later come with the last slice.
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
      // All rows are in one second: there is no smaller slice.
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

/** The seconds in which about `aimedRows` rows are expected, if this many seconds had this many rows. */
function fitted(seconds: number, rows: number): number {
  return Math.max(1, Math.floor((seconds * aimedRows) / Math.max(1, rows)));
}
