import { untrustedAnswer } from "../../contract/failure.ts";
import type { Reply } from "../../contract/reply.ts";
import { counted } from "../../text/counted.ts";
import type { Rows } from "../rows/rows.ts";
import type { Place } from "./page.ts";

export type NumberedPages = Extract<Reply, { kind: "numbered-pages" }>;

/** One page as it was requested and returned. The functions below derive from it alone. */
export interface NumberedAnswer {
  readonly at: Place;
  /** The number of rows requested. */
  readonly pageSize: number;
  readonly rows: Rows;
  /** The list by `page_info`; NaN where it has no number. `page`: the number of this page. */
  readonly totals: {
    readonly page: number;
    readonly limit: number;
    readonly items: number;
    readonly pages: number;
  };
  /** The `next_cursor` of the cursor envelope, of any type. */
  readonly offered: unknown;
}

/** Rows of the list before this numbered page. */
function rowsBefore({ at, pageSize }: NumberedAnswer): number {
  return (Number(at.value) - 1) * pageSize;
}

/**
 * Rows of this numbered page by its own totals; undefined if these cannot be used: they are not whole numbers, do not agree
 * with each other, belong to another page size, or count fewer rows than the page has. The public service was seen to send
 * zeros.
 */
export function countedRows(answer: NumberedAnswer): number | undefined {
  const { pageSize, totals } = answer;
  const { items, pages, limit } = totals;
  if (!Number.isSafeInteger(items) || items < 0 || pages !== Math.ceil(items / pageSize)) return undefined;
  if (limit > 0 && limit !== pageSize) return undefined;
  const rows = Math.max(0, Math.min(pageSize, items - rowsBefore(answer)));
  return answer.rows.length > rows ? undefined : rows;
}

/** Whether the totals can be used, and the page has all of its rows. */
export function isCounted(answer: NumberedAnswer): boolean {
  return countedRows(answer) === answer.rows.length && answer.totals.items > 0;
}

/**
 * Whether the response has the number of another page. The public service has returned 0 for every page, and its
 * documentation counts from 0. The page before this one needs no check: its rows are repeats.
 */
export function isAnotherPage({ at, totals: { page } }: NumberedAnswer): boolean {
  const number = Number(at.value);
  return Number.isInteger(page) && page > 0 && page !== number && page !== number - 1;
}

/** Whether the service names no page after this one by cursor. */
export function isLastCursor({ offered }: NumberedAnswer): boolean {
  return offered === undefined || offered === null || offered === "";
}

/**
 * Whether the list ends here by the page itself. Totals that promise more are believed, so that a page is not taken for the
 * end if it only repeats (new rows have pushed the old ones back) or is shorter than requested (the service limits it). Totals
 * that promise nothing are not believed.
 */
export function isEnd(answer: NumberedAnswer, isNew: boolean): boolean {
  const { at, pageSize, rows, totals } = answer;
  if (rows.length === 0) return true;
  if (at.flag === "cursor") return !isNew || isLastCursor(answer);
  if (totals.pages > Number(at.value)) return false;
  return !isNew || rows.length < Math.min(pageSize, cappedAt(answer));
}

/** The maximum page size that the service reports. */
export function cappedAt({ totals: { limit } }: NumberedAnswer): number {
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

/** The service's count of rows, as the place stores it. */
export function itemsOf({ totals: { items } }: NumberedAnswer): number | undefined {
  return Number.isSafeInteger(items) ? items : undefined;
}

/** The place after this one in the same window: the next number, or after the last number a cursor. */
export function placeAfter(
  { at: { flag, value, to }, offered }: NumberedAnswer,
  { handOverAfter = Number.POSITIVE_INFINITY }: NumberedPages,
  lastWholeId: string | undefined,
): Place {
  if (flag === "page" && Number(value) < handOverAfter) return { flag, value: String(Number(value) + 1), to };
  // Rows of one id may be on both sides of the edge, so the cursor is the last id that is complete: the rows that come
  // again are dropped, and none is lost. The offered cursor is used only where a page has one id alone.
  const isAhead = lastWholeId !== undefined && !(flag === "cursor" && lastWholeId === value);
  const cursor = isAhead ? lastWholeId : offered;
  if (typeof cursor !== "string" || cursor === "" || (flag === "cursor" && cursor === value))
    throw untrustedAnswer("invalid response: no cursor to continue the history");
  return { flag: "cursor", value: cursor, to };
}

/** Compares the service's count of a list with the rows that it returned. */
export class ListCount {
  /** Rows after the last one taken; undefined if the totals cannot be used. */
  left: number | undefined;
  /** Numbered pages after the one taken last. */
  pagesLeft = Number.POSITIVE_INFINITY;
  /** Whether all totals so far could be used, and belong to the page size. */
  isUsable = true;
  /** The last window with a count: its upper bound and its number of rows. */
  window: Pick<Place, "to" | "items">;
  /** The smallest count of the current window. */
  #leastItems = Number.POSITIVE_INFINITY;
  readonly #start: Place | undefined;
  /** Rows after the start by the first count. Every one is due, unless the list moves. */
  #due: number | undefined;
  #isStill = true;
  #last: Place | undefined;

  /** `start`: where the pull begins. */
  constructor(start: Place | undefined) {
    this.#start = start;
    this.window = { items: start?.items };
  }

  /** The page is taken: `fresh` of its rows are new. */
  take(answer: NumberedAnswer, fresh: number): void {
    const expected = this.left === undefined ? undefined : this.left - fresh;
    // A page after the last one that repeats it does not change the count.
    if (this.left === 0 && fresh <= 0) return;
    if (answer.at.flag === "cursor") {
      this.pagesLeft -= 1;
      // More rows than were counted: the count was wrong.
      this.left = expected === undefined || expected < 0 ? undefined : expected;
    } else this.#takeNumbered(answer, fresh);
    if (expected !== undefined && this.left !== expected) this.#isStill = false;
    this.#last = answer.at;
  }

  #takeNumbered(answer: NumberedAnswer, fresh: number): void {
    const { at, rows, totals } = answer;
    const isCountUsable = countedRows(answer) !== undefined;
    if (this.#last?.to !== at.to) this.#leastItems = Number.POSITIVE_INFINITY;
    if (isCountUsable) this.#leastItems = Math.min(this.#leastItems, totals.items);
    else this.isUsable = false;
    this.left = isCountUsable ? Math.max(0, totals.items - rowsBefore(answer) - rows.length) : undefined;
    this.pagesLeft = totals.pages - Number(at.value);
    // The number due at the start is valid as long as the count has not changed since.
    const isUnchanged = this.#start?.due !== undefined && totals.items === this.#start.items;
    const dueHere = this.left === undefined ? undefined : this.left + Math.max(0, fresh);
    this.#due ??= isUnchanged ? this.#start?.due : dueHere;
    this.window = { to: at.to, items: totals.items };
  }

  /** Whether an earlier count was lower than this page's position, so that the count is not exact enough to prove anything. */
  hasBeenLess(answer: NumberedAnswer): boolean {
    return answer.at.flag === "page" && rowsBefore(answer) + answer.rows.length >= this.#leastItems;
  }

  /** Rows of the first count that are still due after `listed` rows; undefined once the list has moved. */
  due(listed: number): number | undefined {
    return this.#isStill && this.isUsable && this.#due !== undefined ? this.#due - listed : undefined;
  }

  /** Why the list is incomplete although no row is left; undefined if it may be complete. */
  shortfall(listed: number): string | undefined {
    if (this.left !== 0 || !((this.due(listed) ?? 0) > 0)) return undefined;
    return `the service reports ${counted(this.#due ?? 0, "row")} but returned ${counted(listed, "row")}`;
  }
}
