import { counted } from "../../model/text/counted.ts";
import { countedRows, type NumberedAnswer } from "./numbered-answer.ts";
import type { Place } from "./place.ts";

/** What a walk knows of the rows of a page. */
export interface PageRows {
  /** Whether any of them has not come before. */
  readonly hasNew: boolean;
  /** Whether the last row that was taken is among them. */
  readonly holdsEdge: boolean;
}

/** The service's count of a list, held against what has come of it. */
export interface ListCount {
  /** Why a numbered page cannot be the next one, by its own totals and those before; undefined where it can. */
  readonly contradiction: (answer: NumberedAnswer, rows: PageRows) => string | undefined;
  /** The page is taken: `fresh` of its rows come after the last one before. */
  readonly take: (answer: NumberedAnswer, fresh: number) => void;
  /** Rows after the last one taken; undefined where the totals cannot be used. */
  readonly left: () => number | undefined;
  /** Numbered pages after the one taken last. */
  readonly pagesLeft: () => number;
  /** Whether all totals so far could be used. */
  readonly isUsable: () => boolean;
  /** The totals belong to another page size from now on. */
  readonly giveUp: () => void;
  /** Whether so many rows have been counted before, so that the count moves by itself and says nothing of single rows. */
  readonly hasBeenLess: (answer: NumberedAnswer) => boolean;
  /** Rows that are still to come by the first count, after so many; undefined once the list was seen to move. */
  readonly due: (listed: number) => number | undefined;
  /** Numbers of the pages as requested, less those that their responses have; undefined where these say nothing. */
  readonly offset: () => number | undefined;
  /** Why the list is not complete although no row is left; undefined where it may be. */
  readonly shortfall: (listed: number) => string | undefined;
}

/** `start`: where the walk begins. */
export function createListCount(pageSize: () => number, start: Place | undefined): ListCount {
  let left: number | undefined;
  let isUsable = true;
  let pagesLeft = Number.POSITIVE_INFINITY;
  let items = start?.items;
  /** The smallest count of the window that is being read. */
  let leastItems = Number.POSITIVE_INFINITY;
  /** Rows from the start on, by the first count: they have to come, unless the list is seen to move. */
  let due = start?.due;
  let isStill = true;
  let last: Place | undefined;
  const numbering = createNumbering(start?.offset);

  const rowsBefore = ({ at }: NumberedAnswer): number => (Number(at.value) - 1) * pageSize();

  return {
    contradiction: (answer, { hasNew, holdsEdge }) => {
      const { at, page, totals } = answer;
      const rows = countedRows(answer, pageSize());
      // Totals that cannot be used do not take back what was counted before.
      const expected = rows ?? Math.min(pageSize(), left ?? 0);
      if (page.rows.length < expected) return `page ${at.value} has ${page.rows.length} of ${expected} rows`;
      if (numbering.isAnother(answer)) return `page ${at.value} comes as page ${totals.page}`;
      if (page.rows.length === 0 || hasNew) return undefined;
      const isPromised = (rows ?? left ?? 0) > 0 || totals.pages > Number(at.value);
      // Rows that came in before the last one push known rows on into this page; that one is among them then.
      const isPushedOn = totals.items !== items && holdsEdge;
      return isPromised && !isPushedOn ? `page ${at.value} repeats earlier rows` : undefined;
    },
    take: (answer, fresh) => {
      const { at, page, totals } = answer;
      const expected = left === undefined ? undefined : left - fresh;
      // A page behind the last one that repeats it takes nothing back.
      if (left === 0 && fresh <= 0) return;
      if (at.flag === "cursor") {
        pagesLeft -= 1;
        // More rows than were counted: the count was wrong.
        left = expected === undefined || expected < 0 ? undefined : expected;
      } else {
        const isCounted = countedRows(answer, pageSize()) !== undefined;
        if (!isCounted) isUsable = false;
        if (last?.to !== at.to) leastItems = Number.POSITIVE_INFINITY;
        if (isCounted) leastItems = Math.min(leastItems, totals.items);
        left = isCounted ? Math.max(0, totals.items - rowsBefore(answer) - page.rows.length) : undefined;
        pagesLeft = totals.pages - Number(at.value);
        due ??= totals.items - rowsBefore(answer);
        items = totals.items;
        numbering.note(answer);
      }
      if (expected !== undefined && left !== expected) isStill = false;
      last = at;
    },
    left: () => left,
    pagesLeft: () => pagesLeft,
    isUsable: () => isUsable,
    giveUp: () => {
      isUsable = false;
    },
    hasBeenLess: (answer) =>
      answer.at.flag === "page" && rowsBefore(answer) + answer.page.rows.length >= leastItems,
    offset: numbering.offset,
    due: (listed) => (isStill && isUsable && due !== undefined ? due - listed : undefined),
    shortfall: (listed) => {
      if (!isStill || !isUsable || left !== 0 || due === undefined || listed >= due) return undefined;
      return `the service counts ${counted(due, "row")}, and returned ${counted(listed, "row")}`;
    },
  };
}

/**
 * A service that says which page a response is goes on doing so. The public one was seen to call each page 0, and others
 * may count from 0: so only what two pages in a row agree on counts.
 */
function createNumbering(known: number | undefined): {
  readonly isAnother: (answer: NumberedAnswer) => boolean;
  readonly note: (answer: NumberedAnswer) => void;
  readonly offset: () => number | undefined;
} {
  let offset = known ?? Number.NaN;
  let number = Number.NaN;
  let isKnown = known !== undefined;
  return {
    offset: () => (isKnown ? offset : undefined),
    isAnother: (answer) => isKnown && Number.isInteger(answer.totals.page) && offsetOf(answer) !== offset,
    note: (answer) => {
      isKnown = offsetOf(answer) === offset && (isKnown || Number(answer.at.value) !== number);
      offset = offsetOf(answer);
      number = Number(answer.at.value);
    },
  };
}

const offsetOf = ({ at, totals }: NumberedAnswer): number => Number(at.value) - totals.page;
