import { plainList } from "../list-plan.ts";
import type { Client } from "../client.ts";
import { type Page, totalOf } from "../page.ts";
import { readPages } from "../read-pages.ts";
import { rowShape, type ApiRequest } from "../../api/endpoint.ts";
import type { Clock } from "../../base/context/context.ts";
import { fail, Failure } from "../../base/failure.ts";
import { counted } from "../../base/text/words.ts";
import { compareInstants, type Instant, toWire } from "../../base/time/time.ts";
import type { KnownRows } from "./known-rows.ts";
import { readFollowedRow, type FollowedRow } from "../followed-row.ts";

/** Which list is read. */
export interface ListSource {
  readonly client: Client;
  readonly request: ApiRequest;
  readonly pageSize: number;
  readonly isStrict: boolean;
  /** Whether the last response is a cache's copy of the response to another request. */
  readonly isForeignCopy: () => boolean;
  /** Unix seconds. Rows with a later time have a wrong date. */
  readonly latest: () => number;
}

/** Ends at the service's present time if `to` is missing. Both bounds are sent unchanged. */
interface Span {
  readonly from: Instant;
  readonly to: Instant | undefined;
}

/** Why rows may be missing, although the service returned a list. */
export type Doubt =
  /** The service returned an earlier state of the list, so the list says nothing about the present. */
  | { readonly kind: "older" }
  /** The service counts more rows than it lists. `failure` is missing if this is already known. */
  | { readonly kind: "incomplete"; readonly failure?: Failure };

/** Oldest first. */
export interface RowsRead {
  readonly kind: "rows";
  readonly rows: readonly FollowedRow[];
  readonly doubt: Doubt | undefined;
  /** Rows that the service counts but never lists, so that its count is probably wrong. */
  readonly missing: number;
  /** Rows that may have been written before, but are no longer remembered. */
  readonly forgotten: number;
}

type RangeRead = RowsRead | TooMany;

export type RangeReader = ReturnType<typeof createRangeReader>;

/** If a time range still has fewer rows than its total after this many readings, there is a doubt. */
const readingsOfSpan = 3;
/**
 * Milliseconds after which all rows since `known.from` are read again, even if the total matches: the total stays the
 * same if one row disappears and another is indexed late. Rows are remembered for twice this time.
 */
const wholeReadGap = 300_000;
/** Milliseconds before a doubt is checked again: at first, and at most. */
const recheckGap = { first: 1000, most: 60_000 };
/** A doubt that stays the same for this many milliseconds is the service's normal state. */
const acceptedAfter = 300_000;

export function createRangeReader(source: ListSource, known: KnownRows, { elapsed }: Pick<Clock, "elapsed">) {
  const list = createListReader(source, known);
  const [age, lack] = [createRecheck(elapsed), createRecheck(elapsed)];
  /** How far the total exceeds the number of listed rows, according to the last reading. */
  let excess = 0;
  /** Rows that are known from the start were not read here, so the first read compares them with the list. */
  let wholeRead = known.listed() > 0 ? Number.NEGATIVE_INFINITY : elapsed();

  /** Reads the rows since `known.from`. */
  const readPresent = async (span: Span, most: number): Promise<RangeRead> => {
    const found = createFoundRows(known);
    const began = elapsed();
    const isDoubted = (): boolean => excess > 0 && !lack.isAccepted();
    const isWhole = began >= (isDoubted() ? lack.at() : wholeRead + wholeReadGap);
    for (let readings = 1; ; readings += 1) {
      const outcome = await list({ span, most, found, excess, isWhole });
      if (outcome.kind === "too-many") return outcome;
      if (outcome.kind === "older") {
        age.add(began);
        return rowsRead(found, { kind: "older" });
      }
      if (outcome.kind === "agreed") {
        age.clear();
        return rowsRead(found, isDoubted() ? { kind: "incomplete" } : undefined);
      }
      const { listed, items } = outcome;
      const missing = Math.max(0, items - listed.size);
      // A page that is repeated in place of the last one looks like the end of the list.
      if (missing > 0 && missing !== excess && readings < readingsOfSpan) continue;
      age.clear();
      if (missing !== excess) lack.clear();
      if (missing > 0) lack.add(began);
      [excess, wholeRead] = [missing, began];
      known.setListed(listed);
      return rowsRead(found, isDoubted() ? incomplete(missing, items) : undefined, missing);
    }
  };

  /** Reads a slice of the history. If the same number of rows is always missing, the service's count is wrong. */
  const readSlice = async (span: Span, most: number): Promise<RangeRead> => {
    const found = createFoundRows(known, span.to);
    const lacks = new Set<number>();
    for (let readings = 1; ; readings += 1) {
      const outcome = await list({ span, most, found, excess: 0, isWhole: true });
      if (outcome.kind === "too-many") return outcome;
      if (outcome.kind !== "end") return rowsRead(found);
      const { listed, items } = outcome;
      const missing = Math.max(0, items - listed.size);
      if (missing === 0) return rowsRead(found);
      lacks.add(missing);
      if (readings < readingsOfSpan) continue;
      const isSteady = lacks.size === 1 && listed.size > 0;
      return rowsRead(found, isSteady ? undefined : incomplete(missing, items), missing);
    }
  };

  return {
    /** A failed read returns nothing. Ranges with more than `most` new rows are not read. */
    read: async (span: Span, most: number): Promise<RangeRead> =>
      await (span.to === undefined ? readPresent : readSlice)(span, most),
    /** When to read again because of a doubt, on the monotonic clock; infinite without a doubt. */
    recheckAt: () => Math.min(age.at(), lack.isAccepted() ? Number.POSITIVE_INFINITY : lack.at()),
  };
}

function rowsRead(found: FoundRows, doubt?: Doubt, missing = 0): RowsRead {
  const rows = oldestFirst(found.fresh.values());
  return { kind: "rows", rows, doubt, missing, forgotten: found.forgotten() };
}

function incomplete(missing: number, items: number): Doubt {
  const problem = `the service reports ${counted(items, "row")} but returned ${items - missing}`;
  const details = { incomplete: { missing: { rows: missing, to: undefined }, doubts: [problem] } };
  return { kind: "incomplete", failure: fail("incomplete", `incomplete list: ${problem}`, details) };
}

/** Decides when a doubt is checked again. Times are in milliseconds, from the monotonic clock. */
function createRecheck(elapsed: () => number) {
  let [since, gap, at] = [Number.POSITIVE_INFINITY, recheckGap.first, Number.POSITIVE_INFINITY];
  return {
    at: () => at,
    clear: (): void => {
      since = at = Number.POSITIVE_INFINITY;
    },
    /** `began` is when the read that raised or confirmed the doubt started. */
    add: (began: number): void => {
      if (since > began) [since, gap] = [began, recheckGap.first];
      else if (began >= at) gap = Math.min(2 * gap, recheckGap.most);
      at = elapsed() + gap;
    },
    /** The service has not corrected itself within `acceptedAfter`, so this is taken as its normal state. */
    isAccepted: () => elapsed() - since >= acceptedAfter,
  };
}

interface Reading {
  readonly span: Span;
  /** Reading ends as soon as more than this many rows are new. */
  readonly most: number;
  readonly found: FoundRows;
  /** How far the total usually exceeds the number of listed rows. */
  readonly excess: number;
  /** Read all pages, even if the first one and the total agree with the known rows. */
  readonly isWhole: boolean;
}

interface TooMany {
  readonly kind: "too-many";
  readonly rows: number;
  readonly newest: Instant;
}

type Outcome =
  | TooMany
  /** The list is an earlier state of one that was already read. */
  | { readonly kind: "older" }
  /** The total is the number of known and new rows. */
  | { readonly kind: "agreed" }
  | { readonly kind: "end"; readonly listed: ReadonlySet<string>; readonly items: number };

function createListReader(source: ListSource, known: KnownRows) {
  const { client, request, pageSize, isStrict, isForeignCopy, latest } = source;

  /** A list that ends before the newest known row was made before that row, unless the service has removed it. */
  const isOlder = (rows: readonly FollowedRow[]): boolean => {
    const last = latest();
    const newest = rows.find(({ at }) => at.seconds <= last) ?? rows[0];
    return (newest?.at.seconds ?? Number.NEGATIVE_INFINITY) < known.newest();
  };

  return async ({ span: { from, to }, most, found, excess, isWhole }: Reading): Promise<Outcome> => {
    // The range that is read again and again.
    const isOfKnown = to === undefined;
    const asked = new Map([...request.args, ["from", toWire(from)]]);
    if (to !== undefined) asked.set("to", toWire(to));
    const listed = new Set<string>();
    let [items, newest]: [number?, Instant?] = [];
    // The next page is probably the last one needed, so pages requested in advance would waste credits.
    const width = isOfKnown && !isWhole && known.listed() > 0 ? 1 : client.width;
    // The count below detects rows that are still missing, and the next reading finds them.
    const again: Client["again"] = async (repeats, problem) =>
      repeats === 1 && (await client.again(repeats, problem));
    const asking: Client = { ...client, width, again };
    const pages = readPages(asking, request.endpoint, asked, plainList(pageSize, isStrict));
    for await (const page of withoutDoubts(pages)) {
      const rows = followedRowsOf(page, request);
      const isFirst = items === undefined;
      // 0 without a total. As long as it matches the number of known and new rows, no row was indexed late, and one
      // page is sufficient.
      items ??= totalOf(page) ?? 0;
      newest ??= rows[0]?.at;
      let isKnown = rows.length > 0;
      for (const row of rows) {
        // Rows outside the range belong to the response to another request, so they must not make up for missing rows.
        const isInside = row.at.seconds >= from.seconds && (to === undefined || row.at.seconds <= to.seconds);
        if (isInside) listed.add(row.key);
        isKnown = !found.add(row) && isKnown;
      }
      if (isFirst && isOfKnown && (isForeignCopy() || isOlder(rows))) return { kind: "older" };
      const count = Math.max(found.fresh.size, items - (isOfKnown ? known.listed() : 0));
      if (count > most && newest !== undefined) return { kind: "too-many", rows: count, newest };
      if (!isOfKnown || isWhole) continue;
      const isAll = items > 0 ? known.listed() + found.fresh.size === items - excess : isKnown;
      if (isAll) return { kind: "agreed" };
    }
    return { kind: "end", listed, items: items ?? 0 };
  };
}

/**
 * A list that ends with a doubt ends normally, because its count is compared here. A rejection of a later page is the
 * fault of the page before, which named a wrong cursor or number of pages.
 */
async function* withoutDoubts(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let isFirst = true;
  try {
    for await (const page of pages) {
      isFirst = false;
      yield page;
    }
  } catch (cause) {
    if (isFirst || !(cause instanceof Failure)) throw cause;
    if (cause.status === 400) throw fail("untrusted_answer", cause.message, { cause });
    if (cause.code !== "incomplete") throw cause;
  }
}

export function followedRowsOf({ rows }: Page, { endpoint }: ApiRequest): readonly FollowedRow[] {
  const shape = rowShape(endpoint);
  return rows.values().map((value, index) => readFollowedRow(shape, rows.text(index), value));
}

type FoundRows = ReturnType<typeof createFoundRows>;

/** The new rows of all readings of one range. Rows after `to` are read later. */
function createFoundRows(known: KnownRows, to?: Instant) {
  const fresh = new Map<string, FollowedRow>();
  const forgotten = new Set<string>();
  return {
    fresh,
    /** Returns whether the row is new. */
    add: (row: FollowedRow): boolean => {
      const judged = known.judge(row);
      if (judged === "forgotten") forgotten.add(row.key);
      if (judged !== "new") return false;
      if (!fresh.has(row.key) && (to === undefined || row.at.seconds <= to.seconds)) fresh.set(row.key, row);
      return true;
    },
    forgotten: () => forgotten.size,
  };
}

/** Keeps the service's order for rows with the same time. A reading that goes back a page may find some rows late. */
export const oldestFirst = (newestFirst: Iterable<FollowedRow>): readonly FollowedRow[] =>
  [...newestFirst].toReversed().toSorted((a, b) => compareInstants(a.at, b.at));
