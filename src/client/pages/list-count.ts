import { counted } from "../../text/counted.ts";
import { countedRows, type NumberedAnswer, rowsBefore } from "./numbered-answer.ts";
import type { Place } from "./page.ts";

/** Compares the service's count of a list with the rows that it returned. */
export class ListCount {
  /** Rows after the last one taken; undefined where the totals cannot be used. */
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

  /** `start`: where the walk begins. */
  constructor(start: Place | undefined) {
    this.#start = start;
    this.window = { items: start?.items };
  }

  /** The page is taken: `fresh` of its rows are new. */
  take(answer: NumberedAnswer, fresh: number): void {
    const expected = this.left === undefined ? undefined : this.left - fresh;
    // A page behind the last one that repeats it takes nothing back.
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
    const isCounted = countedRows(answer) !== undefined;
    if (!isCounted) this.isUsable = false;
    if (this.#last?.to !== at.to) this.#leastItems = Number.POSITIVE_INFINITY;
    if (isCounted) this.#leastItems = Math.min(this.#leastItems, totals.items);
    this.left = isCounted ? Math.max(0, totals.items - rowsBefore(answer) - rows.length) : undefined;
    this.pagesLeft = totals.pages - Number(at.value);
    // The number due at the start holds as long as the count has not changed since.
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
    return `the service counts ${counted(this.#due ?? 0, "row")}, and returned ${counted(listed, "row")}`;
  }
}
