import { compareInstants, fromWire, type Instant, parseRfc3339, toWire } from "../../time/time.ts";
import { inOrder, letLeave } from "./in-order.ts";
import { isCounted, type NumberedAnswer } from "./numbered-answer.ts";
import type { NumberedWalk, Pages } from "./numbered-walk.ts";
import type { Page, Place } from "./page.ts";

/**
 * Frozen windows. The invariant: in an open window, the page with the number after the one taken last begins at or before the
 * row after the edge, the last row taken; so no row of the list is skipped, and rows that come again are dropped.
 *
 * It is true because a window ends at a fixed time: rows added later are not part of it, so its page numbers mean the same
 * from request to request, and several pages can be requested at once. Rows that are late or withdrawn still move it. Then
 * its total differs from the one before, and the window finds the edge again before it takes the page. If that needs too many
 * requests, the pull leaves the window and continues page by page; if it finds nothing, the pull claims no proof.
 */

/** Pages. A new window repeats a few rows and may turn out not to contain the edge, so fewer pages are not worth one. */
const worthAWindow = 20;
const mishapsAllowed = 3;
/** Requests that may be spent on checks in a window: a fixed number, plus one for each `pagesAnExtra` pages. */
const extraAllowed = 6;
const pagesAnExtra = 5;
/** Requests for one page of a list that moves all the time, before it is taken as it is. */
const triesAPage = 3;
/** After this many checks of a smaller list that found no moved row, the difference counts as rows that expire at its end. */
const quietLooksAllowed = 3;

/** A part of the list up to a fixed time, in which page numbers mean the same from request to request. */
export interface FrozenWindow {
  /** As on the wire; undefined for the upper bound of the request itself. */
  readonly to: string | undefined;
  /** Its first page, not taken yet, or the page before: it has the totals of the list, as long as that does not move. */
  readonly from: NumberedAnswer;
  readonly isFirst: boolean;
  /** Rows after the last one taken, by these totals. */
  readonly left: number;
}

/**
 * Opens the windows of a list and reads them, one after the other. A window ends a second after the row that is to be its
 * newest. `to` is inclusive by the specification, but the public service was seen to leave out rows at that time, and a service
 * may cut fractions: a second later, the row is included by all of them. Other rows of that second only push rows back, and
 * rows that come again are dropped. If a second has more rows than the first page, the row's own time is tried.
 */
export class FrozenWindows {
  readonly walk: NumberedWalk;
  /** The upper bound of the request. */
  readonly #requested: string | undefined;
  /** The pages of a list that is not sorted by time cannot be frozen. */
  readonly #canFreeze: boolean;
  #shifts: readonly number[] = [1, 0];
  #mishaps = 0;
  /** The last window was not reliable: the list continues page by page. */
  #isLeft = false;

  // Of the window that is being read:
  #to: string | undefined;
  /** Its first total, that of the page taken last, and all earlier ones. */
  #itemsAtFirst = 0;
  #items = 0;
  #pages = 0;
  #outdated = new Set<number>();
  /** The number of the page taken last. */
  #taken = 0;
  #extra = 0;
  #quietLooks = 0;
  #isOver = false;

  constructor(walk: NumberedWalk) {
    this.walk = walk;
    this.#requested = walk.asking.args.get("to");
    this.#canFreeze =
      walk.reply.handOverAfter !== undefined && (this.#requested === undefined || isFixed(this.#requested));
  }

  /** Freezes a list without an upper bound after its first page: its newest row is from now on the end. */
  freeze(page: Page, { at, rows }: NumberedAnswer): Page {
    // Use the response, because a resumed pull may already have the newest rows, which the page then lacks.
    const newest = this.walk.edge.instantOf(rows.marks()[0]);
    const isOpen = at.flag === "page" && at.value === "1" && at.to === undefined;
    // Without totals, pages cannot be requested at once, but one after the other they need an end as well.
    if (!isOpen || page.next === undefined || newest === undefined || !this.#canFreeze) return page;
    return { ...page, next: { ...page.next, to: upperBound(newest, 1, this.#requested) } };
  }

  #isFrozen(to: string | undefined): boolean {
    return this.#canFreeze && (to ?? this.#requested) !== undefined;
  }

  /** The window in which the list continues from there; undefined if only page by page is safe. */
  async openAt(at: Place): Promise<FrozenWindow | undefined> {
    const { last, count, reply } = this.walk;
    const pagesLeft = this.walk.pagesLeft();
    if (last === undefined || pagesLeft < 1 || !count.isUsable) return undefined;
    const isStill = at.flag === "page" && (reply.handOverAfter === undefined || this.#isFrozen(at.to));
    const isWorthIt = !isStill && pagesLeft >= worthAWindow && this.#mishaps < mishapsAllowed;
    const window = isWorthIt ? await this.reopen() : undefined;
    if (window !== undefined || at.flag !== "page" || this.#isLeft) return window;
    return { to: at.to, from: last, isFirst: false, left: count.left ?? 0 };
  }

  /**
   * The window that ends at the last row taken, which counts the rows after it; undefined if there is none. Its first page has
   * to contain that row, and the window contains all that follows the row.
   */
  async reopen(): Promise<FrozenWindow | undefined> {
    const { edge, pageSize } = this.walk;
    const instant = edge.instantOf(edge.last);
    // If more rows have the same time than fit on a page, only a cursor leads beyond them.
    if (instant === undefined || edge.ties >= pageSize || !this.#canFreeze) return undefined;
    for (const shift of this.#shifts) {
      const to = upperBound(instant, shift, this.#requested);
      const from = await this.walk.ask({ flag: "page", value: "1", to });
      const at = edge.find(from.rows);
      if (isCounted(from) && at >= 0) {
        this.#shifts = [shift, 1 - shift];
        this.#isLeft = false;
        return { to, from, isFirst: true, left: from.totals.items - at - 1 };
      }
      this.#mishaps += 1;
    }
    return undefined;
  }

  /** The pages of a window in order, several of them requested at once. Returns where the list continues. */
  async *read({ to, from, isFirst }: FrozenWindow): Pages {
    ({ items: this.#items, pages: this.#pages } = from.totals);
    [this.#to, this.#itemsAtFirst, this.#taken] = [to, this.#items, Number(from.at.value)];
    [this.#extra, this.#quietLooks, this.#isOver] = [0, 0, false];
    this.#outdated = new Set();
    let at = isFirst ? yield* this.#take(from) : this.#placeOf(this.#taken + 1);
    if (at?.flag !== "page") return at;
    // Rows added later are not part of a frozen window, so several pages can be requested at once.
    const width = this.#isFrozen(to) ? this.walk.asking.client.width : 1;
    for await (const answer of inOrder(this.#requests(), width)) {
      await letLeave();
      at = yield* this.#takeNext(answer);
      if (at?.flag !== "page" || this.#isOver) return at;
    }
    return at;
  }

  *#requests(): Generator<() => Promise<NumberedAnswer>> {
    const { handOverAfter = Number.POSITIVE_INFINITY } = this.walk.reply;
    for (let number = this.#taken + 1; number <= Math.min(this.#pages, handOverAfter); number += 1) {
      // The pages after the one taken last are pending, so wanted pages are counted from there.
      if (number - this.#taken > this.walk.pagesLeft()) return;
      yield async () => await this.#ask(number);
    }
  }

  async #ask(number: number): Promise<NumberedAnswer> {
    return await this.walk.ask(this.#placeOf(number));
  }

  #placeOf(number: number): Place {
    return { flag: "page", value: String(number), to: this.#to };
  }

  /** Yields the page of a response. Returns where the list continues. */
  *#take(answer: NumberedAnswer): Generator<Page, Place | undefined> {
    this.#pages = answer.totals.pages;
    this.#adopt(answer.totals.items);
    this.#taken = Number(answer.at.value);
    const page = this.walk.take(answer, this.walk.holdsEdge(answer));
    yield page;
    return page.next;
  }

  #adopt(total: number): void {
    if (total !== this.#items) this.#outdated.add(this.#items);
    this.#outdated.delete(total);
    this.#items = total;
  }

  /**
   * Takes the page after the one taken last, once it is certain that it is the one. If its total differs from the one before,
   * the list has moved in between. The window then checks, by the last row that was taken, that the pull continues in the
   * right place.
   */
  async *#takeNext(requested: NumberedAnswer): Pages {
    const { edge, reply } = this.walk;
    const number = this.#taken + 1;
    let answer = requested;
    for (let tries = 1; ; tries += 1) {
      const settled = yield* this.#settle(answer);
      if (settled === undefined) {
        this.#isOver = true;
        return this.#placeOf(number);
      }
      answer = settled;
      const { items } = answer.totals;
      // Late rows have pushed the edge back into this page, so everything after it is here.
      if (items === this.#items || this.walk.holdsEdge(answer)) break;
      const isExpiring = this.#quietLooks >= quietLooksAllowed && items <= this.#itemsAtFirst;
      if (isExpiring || tries === triesAPage) {
        this.walk.isDoubted = true;
        break;
      }
      if (!this.#mayLookBack(number)) return this.#leaveFor(this.#placeOf(number));
      // This response was sent before the list moved.
      if (tries === 1 && this.#outdated.has(items)) {
        answer = await this.#askAgain(number);
        continue;
      }
      const before = await this.#askAgain(number - 1);
      const at = edge.find(before.rows);
      if (at < 0 && reply.handOverAfter !== undefined) {
        // Moved by more than a page: only the id of a row leads back to the edge.
        const id = edge.lastWholeId;
        const isKnown = id !== undefined;
        return this.#leaveFor(isKnown ? { flag: "cursor", value: id, to: this.#to } : this.#placeOf(number));
      }
      if (at < 0) yield* this.#takeAgainBefore(number, before);
      else if (at === before.rows.length - 1) {
        if (items === before.totals.items) this.#quietLooks += 1;
        this.#adopt(before.totals.items);
      } else {
        const next = yield* this.#take(before);
        if (next?.flag !== "page") return next;
      }
      if (items !== this.#items) answer = await this.#askAgain(number);
    }
    return yield* this.#take(answer);
  }

  /**
   * The page itself if it can be the next one; undefined if the pull has to leave the window for it. A page that contradicts
   * its own totals is requested again immediately, so that the pages after it, which are pending, are not paid for twice.
   */
  async *#settle(requested: NumberedAnswer): AsyncGenerator<Page, NumberedAnswer | undefined> {
    for (let answer = requested; ; answer = await this.walk.ask(answer.at)) {
      if (yield* this.walk.settle(answer)) return answer;
      if (this.walk.isInVain() && this.walk.reply.handOverAfter !== undefined) return undefined;
    }
  }

  /** Reads the pages before this number again, from the nearest one that begins with a known row, so that no gap remains. */
  async *#takeAgainBefore(number: number, before: NumberedAnswer): AsyncGenerator<Page> {
    const { walk } = this;
    let first = before;
    for (let page = number - 2; page > 0 && !walk.hasTaken(first) && this.#mayLookBack(number); page -= 1)
      first = await this.#askAgain(page);
    const from = Number(first.at.value);
    if (from > 1 && !walk.hasTaken(first)) walk.isDoubted = true;
    yield* this.#take(first);
    for (let page = from + 1; page < number; page += 1) yield* this.#take(await this.#askAgain(page));
  }

  async #askAgain(number: number): Promise<NumberedAnswer> {
    this.#extra += 1;
    return await this.#ask(number);
  }

  #mayLookBack(number: number): boolean {
    return this.#extra < extraAllowed + number / pagesAnExtra;
  }

  /** Leaves a window that is not reliable. */
  #leaveFor(at: Place): Place {
    this.#mishaps += 1;
    [this.#isLeft, this.#isOver] = [true, true];
    return at;
  }
}

/** The time this many seconds later, as on the wire; never later than the requested bound. */
function upperBound({ seconds, fraction }: Instant, later: number, requested: string | undefined): string {
  const instant = { seconds: seconds + later, fraction };
  const isBeyond = requested !== undefined && compareInstants(fromWire(requested), instant) < 0;
  return isBeyond ? requested : toWire(instant);
}

/** A bound that only the service can resolve, as the `-1h` of a raw call, moves with the service's clock. */
function isFixed(bound: string): boolean {
  return /^\d+$/u.test(bound) || parseRfc3339(bound) !== undefined;
}
