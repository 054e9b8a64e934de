import { plainList } from "../list-plan.ts";
import type { Client } from "../client.ts";
import { type Page, totalOf } from "../page.ts";
import { readPages } from "../read-pages.ts";
import type { ApiRequest } from "../../api/args.ts";
import { rowShape } from "../../api/endpoint.ts";
import { fail, Failure } from "../../base/failure.ts";
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
}

/** Ends at the service's present time if `to` is missing. Both bounds are sent unchanged. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant | undefined;
}

interface Reading {
  readonly span: Span;
  /** Reading ends as soon as more than this many rows are new. */
  readonly most: number;
  readonly found: FoundRows;
  /** Set for the range that is read again and again: how far the total usually exceeds the number of listed rows. */
  readonly excess: number | undefined;
  /** Read all pages, even if the first one and the total agree with the known rows. */
  readonly isWhole: boolean;
}

export interface TooMany {
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

/** `latest` returns Unix seconds; rows with a later time have a wrong date. */
export function createListReader(source: ListSource, known: KnownRows, latest: () => number) {
  const { client, request, pageSize, isStrict, isForeignCopy } = source;

  /** A list that ends before the newest known row was made before that row, unless the service has removed it. */
  const isOlder = (rows: readonly FollowedRow[]): boolean => {
    const last = latest();
    const newest = rows.find(({ at }) => at.seconds <= last) ?? rows[0];
    return (newest?.at.seconds ?? Number.NEGATIVE_INFINITY) < known.newest();
  };

  return async ({ span: { from, to }, most, found, excess, isWhole }: Reading): Promise<Outcome> => {
    const isOfKnown = excess !== undefined;
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

export type FoundRows = ReturnType<typeof createFoundRows>;

/** The new rows of all readings of one range. Rows after `to` are read later. */
export function createFoundRows(known: KnownRows, to?: Instant) {
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
    /** Keeps the service's order for rows with the same time. A reading that goes back a page may find some rows late. */
    inOrder: (): readonly FollowedRow[] =>
      [...fresh.values()].toReversed().toSorted((a, b) => compareInstants(a.at, b.at)),
    forgotten: () => forgotten.size,
  };
}
