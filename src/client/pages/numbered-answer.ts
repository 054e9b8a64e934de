import { invalidResponse } from "../../base/failure.ts";
import type { Reply } from "../../api/reply.ts";
import type { Rows } from "../rows.ts";
import type { Position } from "../page.ts";

export type NumberedPages = Extract<Reply, { kind: "numbered-pages" }>;

export interface NumberedAnswer {
  readonly at: Position;
  /** The number of the request, in the order in which they were sent. */
  readonly sent: number;
  readonly pageSize: number;
  readonly rows: Rows;
  /** From `page_info`; NaN if a value is not a number. `page` is the number of this page. */
  readonly totals: {
    readonly page: number;
    readonly limit: number;
    readonly items: number;
    readonly pages: number;
  };
  /** The `next_cursor` of a list that has cursors. It may have any type. */
  readonly offered: unknown;
}

function rowsBefore({ at, pageSize }: NumberedAnswer): number {
  return (Number(at.value) - 1) * pageSize;
}

/** The totals are integers, agree with each other, and are for the requested page size. */
export function areUsable({ pageSize, totals: { items, pages, limit } }: NumberedAnswer): boolean {
  const isAgreed = Number.isSafeInteger(items) && items >= 0 && pages === Math.ceil(items / pageSize);
  return isAgreed && (limit === pageSize || !(limit > 0));
}

/**
 * How many rows this page should have. Returns undefined if the totals are not usable, or count fewer rows than the page
 * has. The public service has been observed to send zeros.
 */
export function countedRows(answer: NumberedAnswer): number | undefined {
  if (!areUsable(answer)) return undefined;
  const { pageSize, totals } = answer;
  const rows = Math.max(0, Math.min(pageSize, totals.items - rowsBefore(answer)));
  return answer.rows.length > rows ? undefined : rows;
}

/** Whether the totals are usable and the page has all of its rows. */
export function isCounted(answer: NumberedAnswer): boolean {
  return countedRows(answer) === answer.rows.length && answer.totals.items > 0;
}

/**
 * The specification does not show which requests get a page with a cursor instead of totals. A service that returns one for
 * a page number may ignore the number, so the list continues with the cursor.
 */
export function isByCursor(answer: NumberedAnswer): boolean {
  return answer.at.flag === "cursor" || (Number.isNaN(answer.totals.items) && !isLastCursor(answer));
}

export function isLastCursor({ offered }: NumberedAnswer): boolean {
  return offered === undefined || offered === null || offered === "";
}

/**
 * Judges by the page, by whether it has new rows, and by the page before. Totals that promise more rows are trusted,
 * because a page may have only repeated rows (new rows have shifted old ones to later pages) or be shorter than
 * requested (the service limits the page size). Totals that promise no more rows are not trusted.
 */
export function isEnd(answer: NumberedAnswer, isNew: boolean, before: NumberedAnswer | undefined): boolean {
  const { at, pageSize, rows, totals } = answer;
  // One page may be broken, but two empty pages in a row are the end of the rows that can be had.
  if (rows.length === 0 && before?.rows.length === 0) return true;
  // A page with totals has no cursor, so only a short one is the last.
  const isFull = totals.items > 0 && rows.length >= pageSize;
  if (isByCursor(answer)) return !isNew || (isLastCursor(answer) && !isFull);
  if (totals.pages > Number(at.value)) return false;
  return !isNew || rows.length < Math.min(pageSize, cappedAt(answer));
}

export function cappedAt({ totals: { limit } }: NumberedAnswer): number {
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

/** Returns a position in the same window: the next page number, or a cursor after the last page number. */
export function positionAfter(
  answer: NumberedAnswer,
  { handOverAfter = Number.POSITIVE_INFINITY }: NumberedPages,
  lastWholeId: string | undefined,
): Position {
  const { at, offered } = answer;
  const { flag, value, to } = at;
  const isNumbered = flag === "page" && (lastWholeId === undefined || !isByCursor(answer));
  if (isNumbered && Number(value) < handOverAfter) return { flag, value: String(Number(value) + 1), to };
  // Rows with the same id may be on both sides of the edge, so the cursor is the last id whose rows are complete. The
  // response's cursor is used only if all rows on the page have the same id.
  const isAhead = lastWholeId !== undefined && !(flag === "cursor" && lastWholeId === value);
  const cursor = isAhead ? lastWholeId : offered;
  if (typeof cursor !== "string" || cursor === "" || (flag === "cursor" && cursor === value))
    throw invalidResponse("invalid response: no cursor to continue the history");
  return { flag: "cursor", value: cursor, to };
}

interface Known {
  /** Rows that new ones pushed onto the page. */
  readonly pushedBack: number;
  /** Rows of an earlier run. */
  readonly readAgain: number;
}

export class ListCount {
  /** The number of rows taken so far. */
  listed = 0;
  /** The number of rows after the last one taken; undefined if the totals are unusable. */
  left: number | undefined;
  pagesLeft = Number.POSITIVE_INFINITY;
  /** Whether all totals so far have been usable and have matched the page size. */
  isUsable = true;
  /** The last window with a count: its upper bound and number of rows. */
  window: Pick<Position, "to" | "items">;
  #leastItems = Number.POSITIVE_INFINITY;
  readonly #start: Position | undefined;
  /** The number of rows after the start, according to the first count. All are expected, unless the list shifts. */
  #due: number | undefined;
  /** Whether the rows that are due include those of pages that are read again. */
  #isDueFromHere = true;
  #isStill = true;

  constructor(start: Position | undefined, pageSize: number) {
    this.#start = start;
    this.window = { items: start?.items };
    if (start?.items === undefined) return;
    if (start.flag === "page") {
      // The totals of the next response may be unusable.
      const left = start.items - (Number(start.value) - 1) * pageSize;
      this.left = left > 0 ? left : undefined;
    }
    if (start.flag !== "cursor" || start.due === undefined) return;
    // Pages by cursor have no totals, so the count of the interrupted run is continued.
    [this.left, this.#due] = [start.due, start.due];
    this.pagesLeft = Math.ceil(start.due / pageSize);
    this.window = { to: start.to, items: start.items };
  }

  /** `known` is the number of rows that are on the page again for a good reason: new rows, or another run. */
  take(answer: NumberedAnswer, fresh: number, { pushedBack, readAgain }: Known): void {
    const { at, totals } = answer;
    this.listed += fresh;
    // A page after the last one that only repeats it does not change the count.
    if (this.left === 0 && fresh <= 0) return;
    if (at.flag === "cursor") {
      this.pagesLeft -= 1;
      if (this.left !== undefined) this.left -= fresh;
      // If there are more rows than counted, the count was wrong.
      if ((this.left ?? 0) < 0) [this.left, this.#isStill] = [undefined, false];
      return;
    }
    const rowsHere = countedRows(answer);
    if (this.window.to !== at.to) this.#leastItems = Number.POSITIVE_INFINITY;
    if (rowsHere === undefined) this.isUsable = false;
    else this.#leastItems = Math.min(this.#leastItems, totals.items);
    this.left = rowsHere === undefined ? undefined : totals.items - rowsBefore(answer) - rowsHere;
    this.pagesLeft = totals.pages - Number(at.value);
    const { items } = this.window;
    const { due, items: before = Number.NaN } = this.#start ?? {};
    const added = totals.items - before;
    // The number of rows expected at the start remains valid as long as no row has come or gone. Known rows of a list
    // that is not frozen have changed places with rows that are now before the start, or with added ones.
    const isValid = pushedBack === 0 ? added === 0 : added >= 0 && at.to === undefined;
    const dueAtStart = isValid && due !== undefined ? due + added : undefined;
    const dueHere = rowsHere === undefined ? undefined : (this.left ?? 0) + rowsHere - pushedBack - readAgain;
    if (this.#due === undefined) {
      this.#due = dueAtStart ?? dueHere;
      this.#isDueFromHere = dueAtStart === undefined;
    } else {
      if (this.#isDueFromHere) this.#due -= readAgain;
      if (totals.items !== items) this.#isStill = false;
    }
    this.window = { to: at.to, items: totals.items };
  }

  /** A window that ends at the last row taken was opened. Its total is another one than that of the last window. */
  reopen(items: number, left: number): void {
    if (this.#due === undefined) this.#due = this.listed + left;
    else if (left !== this.left) this.#isStill = false;
    this.left = left;
    this.window = { ...this.window, items };
  }

  /** Rows were withdrawn, so not all rows first counted are still expected. */
  shift(): void {
    this.#isStill = false;
  }

  /**
   * The new rows of this page end where an earlier, lower count ends, so the counts contradict each other and prove
   * nothing. Rows beyond it refute the lower count.
   */
  hasBeenLess(answer: NumberedAnswer, fresh: number): boolean {
    return answer.at.flag === "page" && fresh > 0 && rowsBefore(answer) + fresh === this.#leastItems;
  }

  /** How many of the rows first counted are still expected; undefined once the list has shifted. */
  due(): number | undefined {
    return this.#isStill && this.isUsable && this.#due !== undefined ? this.#due - this.listed : undefined;
  }
}
