import type { Client } from "../../client/client.ts";
import { incompleteList } from "../../client/pages/completeness.ts";
import type { Page } from "../../client/pages/page.ts";
import { walkPages } from "../../client/pages/walk-pages.ts";
import { createOwnershipCheck, foreignFailure } from "../../client/response/ownership.ts";
import type { Clock } from "../../context/context.ts";
import type { Question } from "../../contract/args.ts";
import { onlyGroup, rowShape } from "../../contract/endpoint.ts";
import type { Failure } from "../../contract/failure.ts";
import { member } from "../../json/raw-json.ts";
import { counted } from "../../text/counted.ts";
import { compareInstants, type Instant, toWire } from "../../time/time.ts";
import type { KnownRows } from "./known-rows.ts";
import { readTailRow, type TailRow } from "./tail-row.ts";

/** Which list is read. */
export interface Source {
  readonly client: Client;
  readonly question: Question;
  readonly pageSize: number;
  readonly isStrict: boolean;
}

/** Ends at the service's present time if `to` is missing. Both bounds are sent unchanged. */
interface Span {
  readonly from: Instant;
  readonly to?: Instant;
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
  readonly rows: readonly TailRow[];
  readonly doubt: Doubt | undefined;
  /** Rows that the service counts but never lists, so that its count is probably wrong. */
  readonly missing: number;
  /** Rows that may have been written before, but are no longer remembered. */
  readonly forgotten: number;
}

type RangeRead = RowsRead | { readonly kind: "too-many"; readonly rows: number; readonly newest: Instant };

export interface RangeReader {
  /** A failed read returns nothing. Ranges with more than `most` new rows are not read. */
  readonly read: (span: Span, most: number) => Promise<RangeRead>;
  /** When to read again because of a doubt, on the monotonic clock; infinite without a doubt. */
  readonly recheckAt: () => number;
}

/** If a time range still has fewer rows than its total after this many walks, there is a doubt. */
const walksASpan = 3;
/**
 * Milliseconds after which all rows since `known.from` are read again, even if the total matches: the total stays the
 * same if one row disappears and another is indexed late. Rows are remembered for twice this time.
 */
const wholeWalkGap = 300_000;
/** Milliseconds before a doubt is checked again: at first, and at most. */
const recheckGap = { first: 1000, most: 60_000 };
/** A doubt that stays the same for this many milliseconds is the service's normal state. */
const patience = 300_000;

/** `latest` returns Unix seconds; rows with a later time have a wrong date. */
export function createRangeReader(
  source: Source,
  known: KnownRows,
  latest: () => number,
  { elapsed }: Pick<Clock, "elapsed">,
): RangeReader {
  const { client, question, pageSize } = source;
  const rowsOf = createTailRows(source);
  const [age, lack] = [createRecheck(elapsed), createRecheck(elapsed)];
  /** How far the total exceeds the number of listed rows, according to the last walk. */
  let excess = 0;
  /** Rows that are known from the start were not read here, so the first read compares them with the list. */
  let wholeWalk = known.listed() > 0 ? Number.NEGATIVE_INFINITY : elapsed();

  /** A list that ends before the newest known row was made before that row, unless the service has removed it. */
  const isOlder = (rows: readonly TailRow[]): boolean => {
    const last = latest();
    const newest = rows.find(({ at }) => at.seconds <= last) ?? rows[0];
    return (newest?.at.seconds ?? Number.NEGATIVE_INFINITY) < known.newest();
  };

  const walk = async ({ from, to }: Span, most: number, found: FoundRows, isWhole: boolean) => {
    const isOfKnown = to === undefined && compareInstants(from, known.from()) === 0;
    const asked = new Map([...question.args, ["from", toWire(from)]]);
    if (to !== undefined) asked.set("to", toWire(to));
    const listed = new Set<string>();
    let [items, newest]: [number?, Instant?] = [];
    // The next page is probably the last one needed, so pages requested in advance would waste credits.
    const width = isOfKnown && !isWhole && known.listed() > 0 ? 1 : client.width;
    // The count below detects rows that are still missing, and the next walk reads them.
    const again: Client["again"] = async (repeats, problem) =>
      repeats === 1 && (await client.again(repeats, problem));
    const asking: Client = { ...client, width, again };
    for await (const page of walkPages(asking, question.endpoint, asked, { pageSize, isStrict: false })) {
      const rows = rowsOf(page);
      const isFirst = items === undefined;
      items ??= itemsOf(page);
      newest ??= rows[0]?.at;
      let isKnown = rows.length > 0;
      for (const row of rows) {
        // Rows outside the range belong to the response to another request, so they must not make up for missing rows.
        const isInside = row.at.seconds >= from.seconds && (to === undefined || row.at.seconds <= to.seconds);
        if (isInside) listed.add(row.key);
        isKnown = !found.add(row) && isKnown;
      }
      if (isFirst && isOfKnown && isOlder(rows)) return { kind: "older" } as const;
      const count = Math.max(found.fresh.size, items - (isOfKnown ? known.listed() : 0));
      if (count > most && newest !== undefined) return { kind: "too-many", rows: count, newest } as const;
      const isAll = items > 0 ? known.listed() + found.fresh.size === items - excess : isKnown;
      if (isOfKnown && !isWhole && isAll) return { kind: "agreed" } as const;
    }
    return { kind: "end", listed, items: items ?? 0 } as const;
  };

  /** Reads the rows since `known.from`. */
  const readPresent = async (span: Span, most: number): Promise<RangeRead> => {
    const found = createFoundRows(known);
    const began = elapsed();
    const isDoubted = (): boolean => excess > 0 && !lack.isAccepted();
    const isWhole = began >= (isDoubted() ? lack.at() : wholeWalk + wholeWalkGap);
    for (let walks = 1; ; walks += 1) {
      const walked = await walk(span, most, found, isWhole);
      if (walked.kind === "too-many") return walked;
      if (walked.kind === "older") {
        age.add(began);
        return found.read({ kind: "older" });
      }
      if (walked.kind === "agreed") {
        age.clear();
        return found.read(isDoubted() ? { kind: "incomplete" } : undefined);
      }
      const { listed, items } = walked;
      const missing = Math.max(0, items - listed.size);
      // A page that is repeated in place of the last one looks like the end of the list.
      if (missing > 0 && missing !== excess && walks < walksASpan) continue;
      age.clear();
      if (missing !== excess) lack.clear();
      if (missing > 0) lack.add(began);
      [excess, wholeWalk] = [missing, began];
      known.setListed(listed);
      return found.read(isDoubted() ? incomplete(missing, items, found) : undefined, missing);
    }
  };

  /** Reads a slice of the history. If the same number of rows is always missing, the service's count is wrong. */
  const readSlice = async (span: Span, most: number): Promise<RangeRead> => {
    const found = createFoundRows(known, span.to);
    const lacks = new Set<number>();
    for (let walks = 1; ; walks += 1) {
      const walked = await walk(span, most, found, true);
      if (walked.kind === "too-many") return walked;
      if (walked.kind !== "end") return found.read(undefined);
      const { listed, items } = walked;
      const missing = Math.max(0, items - listed.size);
      if (missing === 0) return found.read(undefined);
      lacks.add(missing);
      if (walks < walksASpan) continue;
      const isSteady = lacks.size === 1 && listed.size > 0;
      return found.read(isSteady ? undefined : incomplete(missing, items, found), missing);
    }
  };

  return {
    read: async (span, most) => await (span.to === undefined ? readPresent : readSlice)(span, most),
    recheckAt: () => Math.min(age.at(), lack.isAccepted() ? Number.POSITIVE_INFINITY : lack.at()),
  };
}

/** Reads the rows of a page. Throws if they belong to another pool or network. */
export function createTailRows({ question: { endpoint, args }, isStrict }: Source) {
  const shape = rowShape(endpoint);
  const findForeign = createOwnershipCheck(endpoint, args, onlyGroup);
  return ({ rows }: Page): readonly TailRow[] => {
    const values = rows.values();
    const foreign = findForeign?.((field) => values.map((value) => member(value, field)));
    if (foreign !== undefined && (isStrict || foreign.only === undefined)) throw foreignFailure(foreign);
    return values.map((value, index) => readTailRow(shape, rows.text(index), value));
  };
}

function incomplete(missing: number, items: number, { newest }: FoundRows): Doubt {
  const problem = `the service reports ${counted(items, "row")} but returned ${items - missing}`;
  return { kind: "incomplete", failure: incompleteList(problem, missing, newest()) };
}

/**
 * The number of rows in the range, or 0 if its first page has no total. As long as it matches the number of known and
 * new rows, no row was indexed late, and one page is sufficient.
 */
function itemsOf({ rows, repeats = 0, left }: Page): number {
  return left === undefined ? 0 : rows.length + repeats + left;
}

type FoundRows = ReturnType<typeof createFoundRows>;

/** The new rows of all walks through one range. Rows after `to` are read later. */
function createFoundRows(known: KnownRows, to?: Instant) {
  const fresh = new Map<string, TailRow>();
  const forgotten = new Set<string>();
  let newest: Instant | undefined;
  return {
    fresh,
    newest: () => newest,
    /** Returns whether the row is new. */
    add: (row: TailRow): boolean => {
      newest ??= row.at;
      const judged = known.judge(row);
      if (judged === "forgotten") forgotten.add(row.key);
      if (judged !== "new") return false;
      if (!fresh.has(row.key) && (to === undefined || row.at.seconds <= to.seconds)) fresh.set(row.key, row);
      return true;
    },
    /** Keeps the service's order for rows with the same time. A walk that goes back a page may find some rows late. */
    read: (doubt: Doubt | undefined, missing = 0): RowsRead => {
      const rows = [...fresh.values()].toReversed().toSorted((a, b) => compareInstants(a.at, b.at));
      return { kind: "rows", rows, doubt, missing, forgotten: forgotten.size };
    },
  };
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
    /** The service has not corrected itself for so long that this is its normal state. */
    isAccepted: () => elapsed() - since >= patience,
  };
}
