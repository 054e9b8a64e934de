import { incompleteList } from "./completeness.ts";
import { hasNewRow } from "./distinct-pages.ts";
import {
  cappedAt,
  countedRows,
  isAnotherPage,
  isLastCursor,
  itemsOf,
  type NumberedAnswer,
} from "./numbered-answer.ts";
import type { NumberedWalk } from "./numbered-walk.ts";
import type { Page } from "./page.ts";

/**
 * Contradictions between the pages of a walk and the service's count: which answers are requested again, how often, and
 * what becomes of those that stay as they are. The rules stand in completeness.ts.
 */
export class NumberedDoubts {
  readonly #walk: NumberedWalk;
  #doubted: NumberedAnswer | undefined;
  /** The response that is taken although it contradicts the count. */
  #pardoned: NumberedAnswer | undefined;
  #believesNumbers = true;
  #believesLengths = true;

  constructor(walk: NumberedWalk) {
    this.#walk = walk;
  }

  /** The last response that was requested again; undefined if none was since the last new row. */
  contradicted(): NumberedAnswer | undefined {
    return this.#walk.repeats > 0 ? this.#doubted : undefined;
  }

  /** Whether all allowed retries were used since the last new row, so that only another URL can help. */
  isInVain(): boolean {
    return this.#walk.repeats > 0 && this.#walk.repeats === this.#walk.asking.client.mostRepeats;
  }

  /**
   * Whether an answer is taken as the next page of the list; if not, the page has to be requested again, after the wait that
   * is over by then. After all retries it is taken as it is, or the walk ends here.
   */
  async *settle(answer: NumberedAnswer): AsyncGenerator<Page, boolean> {
    for (;;) {
      const problem = this.#contradiction(answer);
      if (problem === undefined) return true;
      if (await this.again(problem, answer)) return false;
      if (!this.#believe(answer)) yield* this.refuse(problem, answer);
    }
  }

  /** Why this cannot be the next page of the list, by its own totals and those before; undefined if it can. */
  #contradiction(answer: NumberedAnswer): string | undefined {
    const { at, pageSize, rows, totals } = answer;
    const walk = this.#walk;
    const { left, window } = walk.count;
    if (answer === this.#pardoned) return undefined;
    if (at.flag === "cursor") return this.#believesLengths ? this.#shortPage(answer) : undefined;
    if (this.#believesNumbers && isAnotherPage(answer))
      return `page ${at.value} was returned as page ${totals.page}`;
    const counted = countedRows(answer);
    // Unusable totals do not cancel an earlier count.
    const expected = counted ?? Math.min(pageSize, left ?? 0);
    if (rows.length < expected) return `page ${at.value} has ${rows.length} of ${expected} rows`;
    if (rows.length === 0 || walk.isReadAgain(at) || hasNewRow(rows, walk.asking.walk.seen)) return undefined;
    const isPromised = (counted ?? left ?? 0) > 0 || totals.pages > Number(at.value);
    // New rows push known rows into this page, and then the last row taken is one of them.
    const isPushedOn = totals.items !== window.items && walk.holdsEdge(answer);
    return isPromised && !isPushedOn ? `page ${at.value} repeats earlier rows` : undefined;
  }

  /** Why a page by cursor is incomplete: it is shorter than requested, although the count has more rows and a page follows. */
  #shortPage(answer: NumberedAnswer): string | undefined {
    const { pageSize, rows } = answer;
    const most = Math.min(pageSize, this.#walk.count.left ?? 0, cappedAt(answer));
    return isLastCursor(answer) || rows.length >= most
      ? undefined
      : `a page has ${rows.length} of ${most} rows`;
  }

  /** Waits before a page is requested again because of a contradiction. Returns false after the last allowed retry. */
  async again(problem: string, answer: NumberedAnswer): Promise<boolean> {
    this.#doubted = answer;
    this.#walk.repeats += 1;
    return await this.#walk.asking.client.again(this.#walk.repeats, problem);
  }

  /**
   * Accepts a property that the page keeps after all retries, if the service may always send it: short pages by cursor, or
   * its own page numbers. Later pages are not checked for it; at the end, the count shows whether rows are missing. Returns
   * false for any other problem.
   */
  #believe(answer: NumberedAnswer): boolean {
    if (answer.at.flag === "cursor") {
      this.#believesLengths = false;
      return true;
    }
    if (!this.#believesNumbers || !isAnotherPage(answer)) return false;
    this.#believesNumbers = false;
    this.#walk.isDoubted = true;
    return true;
  }

  /**
   * Returns the rows of a page that still contradicts the count, because they are paid for, and ends the walk with a failure.
   * With `--no-strict`, it only notes the problem, and the page is accepted.
   */
  *refuse(problem: string, answer: NumberedAnswer): Generator<Page, void> {
    const walk = this.#walk;
    const { edge, count } = walk;
    const { flag, value, to } = answer.at;
    this.#pardoned = answer;
    if (!walk.asking.walk.isStrict || count.hasBeenLess(answer)) walk.accepted = problem;
    if (walk.accepted !== undefined) {
      walk.repeats = 0;
      return;
    }
    // Some rows of this page were taken, so the number of rows still due is unknown.
    const page = { ...walk.take(answer), next: { flag, value, to, items: itemsOf(answer) } };
    if (page.rows.length > 0) yield page;
    const promised = itemsOf(answer);
    const rows = count.left ?? (promised === undefined ? undefined : Math.max(0, promised - walk.listed()));
    throw incompleteList(problem, rows, edge.instantOf(edge.last));
  }

  /** Requests the count again. Returns the number of rows that it includes and that no page returned. */
  async missing(): Promise<number> {
    const { count } = this.#walk;
    const { to, items = 0 } = count.window;
    const { totals } = await this.#walk.ask({ flag: "page", value: "1", to });
    const withdrawn = Math.max(0, items - totals.items);
    return Math.max(0, (count.left ?? 0) - withdrawn);
  }

  /** After the last page: fails if the pages had fewer rows than the service counted at the beginning. */
  confirm(): void {
    const walk = this.#walk;
    const problem = walk.accepted === undefined ? walk.count.shortfall(walk.listed()) : undefined;
    if (problem !== undefined) throw incompleteList(problem, walk.count.due(walk.listed()), walk.newest);
  }
}
