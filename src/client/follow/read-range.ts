import type { Clock } from "../../base/context/context.ts";
import { fail, type Failure } from "../../base/failure.ts";
import { counted } from "../../base/text/words.ts";
import type { KnownRows } from "./known-rows.ts";
import type { FollowedRow } from "../followed-row.ts";
import {
  createFoundRows,
  createListReader,
  type FoundRows,
  type ListSource,
  type Span,
  type TooMany,
} from "./list-reader.ts";

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

export interface RangeReader {
  /** A failed read returns nothing. Ranges with more than `most` new rows are not read. */
  readonly read: (span: Span, most: number) => Promise<RangeRead>;
  /** When to read again because of a doubt, on the monotonic clock; infinite without a doubt. */
  readonly recheckAt: () => number;
}

/** If a time range still has fewer rows than its total after this many readings, there is a doubt. */
const readingsOfSpan = 3;
/**
 * Milliseconds after which all rows since `known.from` are read again, even if the total matches: the total stays the
 * same if one row disappears and another is indexed late. Rows are remembered for twice this time.
 */
const wholeWalkGap = 300_000;
/** Milliseconds before a doubt is checked again: at first, and at most. */
const recheckGap = { first: 1000, most: 60_000 };
/** A doubt that stays the same for this many milliseconds is the service's normal state. */
const acceptedAfter = 300_000;

/** `latest` returns Unix seconds; rows with a later time have a wrong date. */
export function createRangeReader(
  source: ListSource,
  known: KnownRows,
  latest: () => number,
  { elapsed }: Pick<Clock, "elapsed">,
): RangeReader {
  const list = createListReader(source, known, latest);
  const [age, lack] = [createRecheck(elapsed), createRecheck(elapsed)];
  /** How far the total exceeds the number of listed rows, according to the last reading. */
  let excess = 0;
  /** Rows that are known from the start were not read here, so the first read compares them with the list. */
  let wholeWalk = known.listed() > 0 ? Number.NEGATIVE_INFINITY : elapsed();

  /** Reads the rows since `known.from`. */
  const readPresent = async (span: Span, most: number): Promise<RangeRead> => {
    const found = createFoundRows(known);
    const began = elapsed();
    const isDoubted = (): boolean => excess > 0 && !lack.isAccepted();
    const isWhole = began >= (isDoubted() ? lack.at() : wholeWalk + wholeWalkGap);
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
      [excess, wholeWalk] = [missing, began];
      known.setListed(listed);
      return rowsRead(found, isDoubted() ? incomplete(missing, items) : undefined, missing);
    }
  };

  /** Reads a slice of the history. If the same number of rows is always missing, the service's count is wrong. */
  const readSlice = async (span: Span, most: number): Promise<RangeRead> => {
    const found = createFoundRows(known, span.to);
    const lacks = new Set<number>();
    for (let readings = 1; ; readings += 1) {
      const outcome = await list({ span, most, found, excess: undefined, isWhole: true });
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
    read: async (span, most) => await (span.to === undefined ? readPresent : readSlice)(span, most),
    recheckAt: () => Math.min(age.at(), lack.isAccepted() ? Number.POSITIVE_INFINITY : lack.at()),
  };
}

function rowsRead(found: FoundRows, doubt?: Doubt, missing = 0): RowsRead {
  return { kind: "rows", rows: found.inOrder(), doubt, missing, forgotten: found.forgotten() };
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
