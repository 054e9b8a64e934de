import { counted } from "../../text/counted.ts";
import { countedRows, type NumberedAnswer } from "./numbered-answer.ts";
import type { Place } from "./place.ts";

/** What a walk knows about the rows of a page. */
export interface PageRows {
  /** Whether any of them is new. */
  readonly hasNew: boolean;
  /** Whether they include the last row that was taken. */
  readonly holdsEdge: boolean;
}

/** Compares the service's count of a list with the rows that it returned. */
export interface ListCount {
  /** Why a page cannot be the next one, by its own totals and those before; undefined if it can. */
  readonly contradiction: (answer: NumberedAnswer, rows: PageRows) => string | undefined;
  /** Why a page by cursor is incomplete: it is shorter than requested, although the count has more rows and a page follows. */
  readonly shortPage: (answer: NumberedAnswer) => string | undefined;
  /** The page is taken: `fresh` of its rows are new. */
  readonly take: (answer: NumberedAnswer, fresh: number) => void;
  /** Rows after the last one taken; undefined where the totals cannot be used. */
  readonly left: () => number | undefined;
  /** Numbered pages after the one taken last. */
  readonly pagesLeft: () => number;
  /** Whether all totals so far could be used. */
  readonly isUsable: () => boolean;
  /** The totals belong to another page size from now on. */
  readonly giveUp: () => void;
  /** The last window with a count: its upper bound and its number of rows. */
  readonly window: () => Pick<Place, "to" | "items">;
  /** Whether an earlier count was lower than this page's position, so that the count is not exact enough to prove anything. */
  readonly hasBeenLess: (answer: NumberedAnswer) => boolean;
  /** Rows of the first count that are still due after `listed` rows; undefined once the list has moved. */
  readonly due: (listed: number) => number | undefined;
  /** Why the list is incomplete although no row is left; undefined if it may be complete. */
  readonly shortfall: (listed: number) => string | undefined;
}

/** `start`: where the walk begins. */
export function createListCount(pageSize: () => number, start: Place | undefined): ListCount {
  let left: number | undefined;
  let isUsable = true;
  let pagesLeft = Number.POSITIVE_INFINITY;
  let items = start?.items;
  let windowTo: string | undefined;
  /** The smallest count of the current window. */
  let leastItems = Number.POSITIVE_INFINITY;
  /** Rows after the start by the first count. Every one is due, unless the list moves. */
  let due: number | undefined;
  let isStill = true;
  let last: Place | undefined;

  const rowsBefore = ({ at }: NumberedAnswer): number => (Number(at.value) - 1) * pageSize();

  return {
    contradiction: (answer, { hasNew, holdsEdge }) => {
      const { at, page, totals } = answer;
      const rows = countedRows(answer, pageSize());
      // Unusable totals do not cancel an earlier count.
      const expected = rows ?? Math.min(pageSize(), left ?? 0);
      if (page.rows.length < expected) return `page ${at.value} has ${page.rows.length} of ${expected} rows`;
      if (page.rows.length === 0 || hasNew) return undefined;
      const isPromised = (rows ?? left ?? 0) > 0 || totals.pages > Number(at.value);
      // New rows push known rows into this page, and then the last row taken is one of them.
      const isPushedOn = totals.items !== items && holdsEdge;
      return isPromised && !isPushedOn ? `page ${at.value} repeats earlier rows` : undefined;
    },
    shortPage: ({ page, totals, offered }) => {
      const most = Math.min(
        pageSize(),
        left ?? 0,
        totals.limit > 0 ? totals.limit : Number.POSITIVE_INFINITY,
      );
      const isLast = offered === undefined || offered === null || offered === "";
      return isLast || page.rows.length >= most
        ? undefined
        : `a page has ${page.rows.length} of ${most} rows`;
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
        // The number due at the start holds as long as the count has not changed since.
        due ??= start?.due !== undefined && totals.items === start.items ? start.due : dueFrom(left, fresh);
        items = totals.items;
        windowTo = at.to;
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
    window: () => ({ to: windowTo, items }),
    hasBeenLess: (answer) =>
      answer.at.flag === "page" && rowsBefore(answer) + answer.page.rows.length >= leastItems,
    due: (listed) => (isStill && isUsable && due !== undefined ? due - listed : undefined),
    shortfall: (listed) => {
      if (!isStill || !isUsable || left !== 0 || due === undefined || listed >= due) return undefined;
      return `the service counts ${counted(due, "row")}, and returned ${counted(listed, "row")}`;
    },
  };
}

function dueFrom(left: number | undefined, fresh: number): number | undefined {
  return left === undefined ? undefined : left + Math.max(0, fresh);
}
