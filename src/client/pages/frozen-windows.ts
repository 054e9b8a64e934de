import { compareInstants, fromWire, type Instant, parseRfc3339, toWire } from "../../time/time.ts";
import { inOrder, letLeave } from "./in-order.ts";
import { isCounted, type NumberedAnswer } from "./numbered-answer.ts";
import type { NumberedDoubts } from "./numbered-doubts.ts";
import type { NumberedWalk, Pages } from "./numbered-walk.ts";
import type { Page, Place } from "./page.ts";

/**
 * Frozen windows. The invariant: in an open window, the page with the number after the one taken last begins at or before the
 * row after the edge, the last row taken; so no row of the list is skipped, and what comes again is dropped.
 *
 * It holds because a window ends at an instant: rows added later are not part of it, so its page numbers mean the same from
 * request to request, and several pages can be requested at once. Rows that come late or are taken back still move it. Then
 * its total differs from the one before, and the window finds the edge again before it takes the page. Where that takes too
 * many requests, the window is left, and the list goes on one page after the other; where it finds nothing, the walk claims no
 * proof.
 */

/** A new window repeats a few rows and may turn out not to hold the edge, so fewer pages are not worth one. */
const worthAWindow = 20;
const mishapsAllowed = 3;
/** Requests that may go into making sure, in a window: so many, and one more for so many pages. */
const extraAllowed = 6;
const pagesAnExtra = 5;
/** Requests for one page of a list that moves all the time, before it is taken as it is. */
const triesAPage = 3;
/** Looks back at a smaller list that found nothing moved, before it is put down to rows that expire at its far end. */
const quietLooksAllowed = 3;

/** A stretch of the list up to an instant, in which page numbers mean the same from request to request. */
export interface FrozenWindow {
  /** As on the wire; undefined where the question's own bound holds. */
  readonly to: string | undefined;
  /** Its first page, not yet taken, or the page before: it has the totals of the list, as long as it does not move. */
  readonly from: NumberedAnswer;
  readonly isFirst: boolean;
  /** Rows after the last one taken, by these totals. */
  readonly left: number;
}

/**
 * Opens the windows of a list and reads them, one after the other. A window ends a second after the row that is to be its
 * newest. `to` is inclusive by the specification, but the public service was seen to leave rows at it out, and a service may
 * cut fractions: a second later the row is inside for all of them. What else that second brings only pushes rows on, and what
 * then comes again is dropped. Where so much happens in a second that the row is not on the first page, the row's own instant
 * is tried.
 */
export class FrozenWindows {
  readonly #walk: NumberedWalk;
  readonly #doubts: NumberedDoubts;
  /** The upper bound of the question. */
  readonly #asked: string | undefined;
  /** The pages of a list that is not in the order of time cannot be frozen. */
  readonly #canFreeze: boolean;
  #shifts: readonly number[] = [1, 0];
  #mishaps = 0;
  /** The last window could not be relied on: the list goes on one page after the other. */
  #isLeft = false;

  // Of the window that is read:
  #to: string | undefined;
  /** The totals it began with, of the page taken last, and all those before that one. */
  #itemsAtFirst = 0;
  #items = 0;
  #pages = 0;
  #outdated = new Set<number>();
  /** The number of the page taken last. */
  #taken = 0;
  #extra = 0;
  #quietLooks = 0;
  #isOver = false;

  constructor(walk: NumberedWalk, doubts: NumberedDoubts) {
    this.#walk = walk;
    this.#doubts = doubts;
    this.#asked = walk.asking.args.get("to");
    this.#canFreeze =
      walk.reply.handOverAfter !== undefined && (this.#asked === undefined || isFixed(this.#asked));
  }

  /** The first page of a list whose end is open: its newest row is from now on the end. */
  freeze(page: Page, { at, rows }: NumberedAnswer): Page {
    // Use the response, because a resumed pull may already have the newest rows, which the page then lacks.
    const newest = this.#walk.edge.instantOf(rows.marks()[0]);
    const isOpen = at.flag === "page" && at.value === "1" && at.to === undefined;
    // Without totals the pages cannot be relied on side by side, but one after the other they have an end as well.
    if (!isOpen || page.next === undefined || newest === undefined || !this.#canFreeze) return page;
    const { to: _open, ...next } = page.next;
    return { ...page, next: { ...next, to: upperBound(newest, 1, this.#asked) } };
  }

  #isFrozen(to: string | undefined): boolean {
    return this.#canFreeze && (to ?? this.#asked) !== undefined;
  }

  /** The window in which the list goes on from there; undefined where only one page after the other is safe. */
  async openAt(at: Place): Promise<FrozenWindow | undefined> {
    const { last, count, reply } = this.#walk;
    const pagesLeft = this.#walk.pagesLeft();
    if (last === undefined || pagesLeft < 1 || !count.isUsable) return undefined;
    const isStill = at.flag === "page" && (reply.handOverAfter === undefined || this.#isFrozen(at.to));
    const isWorthIt = !isStill && pagesLeft >= worthAWindow && this.#mishaps < mishapsAllowed;
    const window = isWorthIt ? await this.reopen() : undefined;
    if (window !== undefined || at.flag !== "page" || this.#isLeft) return window;
    return { to: at.to, from: last, isFirst: false, left: count.left ?? 0 };
  }

  /**
   * The window that ends at the last row taken, which counts the rows after it; undefined where there is none. Its first page
   * has to hold that row, and what follows the row is all in it.
   */
  async reopen(): Promise<FrozenWindow | undefined> {
    const { edge, pageSize } = this.#walk;
    const instant = edge.instantOf(edge.last);
    // More rows of one instant than a page holds are passed by cursor.
    if (instant === undefined || edge.ties >= pageSize || !this.#canFreeze) return undefined;
    for (const shift of this.#shifts) {
      const to = upperBound(instant, shift, this.#asked);
      const from = await this.#walk.ask({ flag: "page", value: "1", to });
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

  /** The pages of a window in order, several under way at once. Returns where the list goes on. */
  async *read({ to, from, isFirst }: FrozenWindow): Pages {
    ({ items: this.#items, pages: this.#pages } = from.totals);
    [this.#to, this.#itemsAtFirst, this.#taken] = [to, this.#items, Number(from.at.value)];
    [this.#extra, this.#quietLooks, this.#isOver] = [0, 0, false];
    this.#outdated = new Set();
    let at = isFirst ? yield* this.#take(from) : this.#placeOf(this.#taken + 1);
    if (at?.flag !== "page") return at;
    // Rows added later are not part of a frozen window, so several pages can be requested at once.
    const width = this.#isFrozen(to) ? this.#walk.asking.client.width : 1;
    for await (const answer of inOrder(this.#asks(), width)) {
      await letLeave();
      at = yield* this.#goOn(answer);
      if (at?.flag !== "page" || this.#isOver) return at;
    }
    return at;
  }

  *#asks(): Generator<() => Promise<NumberedAnswer>> {
    const { handOverAfter = Number.POSITIVE_INFINITY } = this.#walk.reply;
    for (let number = this.#taken + 1; number <= Math.min(this.#pages, handOverAfter); number += 1) {
      // Under way are the pages after the one taken last; the wanted ones are counted from there.
      if (number - this.#taken > this.#walk.pagesLeft()) return;
      yield async () => await this.#walk.ask(this.#placeOf(number));
    }
  }

  #placeOf(number: number): Place {
    return { flag: "page", value: String(number), to: this.#to };
  }

  /** Hands on the page of an answer. Returns where the list goes on. */
  *#take(answer: NumberedAnswer): Generator<Page, Place | undefined> {
    this.#pages = answer.totals.pages;
    this.#adopt(answer.totals.items);
    this.#taken = Number(answer.at.value);
    const page = this.#walk.take(answer, this.#walk.holdsEdge(answer));
    yield page;
    return page.next;
  }

  #adopt(total: number): void {
    if (total !== this.#items) this.#outdated.add(this.#items);
    this.#outdated.delete(total);
    this.#items = total;
  }

  /**
   * Hands on the page after the one taken last, once it is sure that it is the one. A page whose total differs from the one
   * before says that the list has moved in between. The window then makes sure, by the last row that was taken, that the walk
   * goes on where it was.
   */
  async *#goOn(asked: NumberedAnswer): Pages {
    const { edge, reply } = this.#walk;
    const number = this.#taken + 1;
    let answer = asked;
    for (let tries = 1; ; tries += 1) {
      const sound = yield* this.#settle(answer);
      if (sound === undefined) {
        this.#isOver = true;
        return this.#placeOf(number);
      }
      answer = sound;
      const { items } = answer.totals;
      // Late rows have pushed the edge on into this page, so everything after it is here.
      if (items === this.#items || this.#walk.holdsEdge(answer)) break;
      if (this.#isExpiring(items) || tries === triesAPage) {
        this.#walk.isDoubted = true;
        break;
      }
      if (!this.#mayLookBack(number)) return this.#leaveFor(this.#placeOf(number));
      // It was answered before the list had moved.
      if (tries === 1 && this.#outdated.has(items)) {
        answer = await this.#askAgain(number);
        continue;
      }
      const before = await this.#askAgain(number - 1);
      const at = edge.find(before.rows);
      if (at < 0 && reply.handOverAfter !== undefined) {
        // Moved by more than a page: only the id of a row leads back to where the walk was.
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
   * The page itself where it can be the next one; undefined where the walk has to leave the window for it. A page that
   * contradicts its own totals is requested again in its place, so that the pages after it, which are on their way, are not
   * paid for twice.
   */
  async *#settle(asked: NumberedAnswer): AsyncGenerator<Page, NumberedAnswer | undefined> {
    for (let answer = asked; ; answer = await this.#walk.ask(answer.at)) {
      if (yield* this.#doubts.settle(answer)) return answer;
      if (this.#doubts.isInVain() && this.#walk.reply.handOverAfter !== undefined) return undefined;
    }
  }

  /** Reads the pages before this number again, from the nearest one that begins with a known row, so that no gap remains. */
  async *#takeAgainBefore(number: number, before: NumberedAnswer): AsyncGenerator<Page> {
    const walk = this.#walk;
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
    return await this.#walk.ask(this.#placeOf(number));
  }

  #mayLookBack(number: number): boolean {
    return this.#extra < extraAllowed + number / pagesAnExtra;
  }

  #isExpiring(items: number): boolean {
    return this.#quietLooks >= quietLooksAllowed && items <= this.#itemsAtFirst;
  }

  /** Whoever walks the window cannot rely on it. */
  #leaveFor(at: Place): Place {
    this.#mishaps += 1;
    [this.#isLeft, this.#isOver] = [true, true];
    return at;
  }
}

/** The instant so many seconds later, as on the wire; never later than what was asked for. */
function upperBound({ seconds, fraction }: Instant, later: number, asked: string | undefined): string {
  const instant = { seconds: seconds + later, fraction };
  return asked !== undefined && compareInstants(fromWire(asked), instant) < 0 ? asked : toWire(instant);
}

/** A bound that only the service can read, as the `-1h` of a raw call, moves with the service's clock. */
function isFixed(bound: string): boolean {
  return /^\d+$/u.test(bound) || parseRfc3339(bound) !== undefined;
}
