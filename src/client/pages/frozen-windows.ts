import { compareInstants, fromWire, type Instant, parseRfc3339, toWire } from "../../base/time/time.ts";
import { inOrder, yieldToSocket } from "../../base/concurrent.ts";
import { nextOf, type Page, type Position } from "../page.ts";
import { isCounted, type NumberedAnswer } from "./numbered-answer.ts";
import { type NumberedList, type Pages, worthAWindow } from "./numbered-list.ts";

/**
 * Frozen windows. The edge is the last row taken. In an open window, the page numbered after the last one taken always
 * begins no later than the row after the edge. This invariant ensures that no row in the list is skipped; repeated rows
 * are dropped.
 *
 * The invariant holds because a window ends at a fixed time. Rows added later are not part of the window, so page
 * numbers stay valid from request to request, and several pages can be requested at once. Rows that arrive late or are
 * withdrawn can still shift the window. The total then differs from the previous one, and the window locates the edge
 * again before taking the page. If that requires too many requests, the pull leaves the window and continues page by
 * page. If the edge cannot be found, the pull does not claim that the list is complete.
 */

const mishapsAllowed = 3;
/** The requests that a window may spend on checks: a fixed number, plus one per `pagesAnExtra` pages. */
const extraAllowed = 6;
const pagesAnExtra = 5;
/** For one page of a list that keeps shifting. After that, the page is accepted as is. */
const triesAPage = 3;
/** After this many checks without a shifted row, rows are assumed to expire at the end of the list instead. */
const quietLooksAllowed = 3;

/** The number of rows in the window, and the number of the request that returned it. */
interface Total {
  readonly sent: number;
  readonly items: number;
}

const totalOf = ({ sent, totals: { items } }: NumberedAnswer): Total => ({ sent, items });

/** A part of the list that ends at a fixed time, so that page numbers stay valid between requests. */
export interface FrozenWindow {
  /** In the API's format; undefined for the request's upper bound. */
  readonly to: string | undefined;
  /** The first page, if not yet taken, or the page before the window. Its totals apply until the list shifts. */
  readonly from: NumberedAnswer;
  readonly isFirst: boolean;
  /** The number of rows after the last row taken, according to the totals of `from`. */
  readonly left: number;
}

/**
 * A window ends one second after the row that should be its newest. According to the specification, `to` is inclusive,
 * but the public service has been observed to omit rows at that time, and a service may truncate fractions of a second.
 * Other rows from that second merely shift rows to later pages, and repeated rows are dropped. If that second has more
 * rows than fit on the first page, the row's exact time is tried instead.
 */
export class FrozenWindows {
  readonly list: NumberedList;
  /** The request's upper time bound. */
  readonly #requested: string | undefined;
  /** False if the list is not sorted by time, or if its upper bound moves with the service's clock. */
  readonly canFreeze: boolean;
  #shifts: readonly number[] = [1, 0];
  #mishaps = 0;
  /** Whether the last window was unreliable, so that the list continues page by page. */
  #isLeft = false;

  // The state of the window being read:
  #to: string | undefined;
  #itemsAtFirst = 0;
  /** Of the last page taken, or of a later response which showed that no row has shifted. */
  #total: Total = { sent: 0, items: 0 };
  /** Every total so far. */
  #totals: Total[] = [];
  /** The number of the last page taken, and the number of pages at that time. */
  #taken = 0;
  #pages = 0;
  #extra = 0;
  #quietLooks = 0;
  #isOver = false;

  constructor(list: NumberedList) {
    this.list = list;
    this.#requested = list.request.args.get("to");
    this.canFreeze =
      list.reply.handOverAfter !== undefined && (this.#requested === undefined || isFixed(this.#requested));
  }

  /** The newest row becomes the end of a list without an upper time bound. */
  freeze(page: Page, { at, rows }: NumberedAnswer): Page {
    // Use the response here: a resumed pull may already have the newest rows, and then the page does not contain them.
    const newest = this.list.edge.instantOf(rows.marks()[0]);
    const isOpen = at.flag === "page" && at.value === "1" && at.to === undefined;
    // Without totals, pages cannot be requested in parallel, but a list read page by page needs a fixed end too.
    const next = nextOf(page);
    if (!isOpen || next === undefined || newest === undefined || !this.canFreeze) return page;
    const frozen = { ...next, to: upperBound(newest, 1, this.#requested) };
    return { ...page, end: this.list.moreAfter(at, frozen) };
  }

  #isFrozen(to: string | undefined): boolean {
    return this.canFreeze && (to ?? this.#requested) !== undefined;
  }

  /** Returns undefined if it is only safe to continue page by page. */
  async openAt(at: Position): Promise<FrozenWindow | undefined> {
    const { last, count, reply } = this.list;
    const pagesLeft = this.list.pagesLeft();
    if (last === undefined || pagesLeft < 1 || !count.isUsable) return undefined;
    const isStill = at.flag === "page" && (reply.handOverAfter === undefined || this.#isFrozen(at.to));
    const isWorthIt = !isStill && pagesLeft >= worthAWindow && this.#mishaps < mishapsAllowed;
    const window = isWorthIt ? await this.reopen() : undefined;
    if (window !== undefined || at.flag !== "page" || this.#isLeft) return window;
    return { to: at.to, from: last, isFirst: false, left: count.left ?? 0 };
  }

  /**
   * Opens a window that ends at the last row taken and counts the rows after it. Returns undefined if that is
   * impossible. The first page must contain the last row taken.
   */
  async reopen(): Promise<FrozenWindow | undefined> {
    const { edge, pageSize } = this.list;
    const instant = edge.instantOf(edge.last);
    // If more rows have this time than fit on a page, only a cursor can get past them.
    if (instant === undefined || edge.ties >= pageSize || !this.canFreeze) return undefined;
    for (const shift of this.#shifts) {
      const to = upperBound(instant, shift, this.#requested);
      const from = await this.list.ask({ flag: "page", value: "1", to });
      const at = edge.find(from.rows);
      const { known, doubles } = this.list.inspectRowsOf(from);
      // Known rows after the edge, and a row twice, take the places of rows that would then be missing.
      const isSound = isCounted(from) && doubles === 0 && (known.at(-1) ?? -1) <= at;
      if (isSound && at >= 0) {
        this.#shifts = [shift, 1 - shift];
        this.#isLeft = false;
        return { to, from, isFirst: true, left: from.totals.items - at - 1 };
      }
      this.#mishaps += 1;
    }
    return undefined;
  }

  /** Requests several pages at once. Returns the position where the list continues. */
  async *read({ to, from, isFirst, left }: FrozenWindow): Pages {
    const { items, pages } = from.totals;
    [this.#to, this.#total, this.#itemsAtFirst] = [to, totalOf(from), items];
    [this.#taken, this.#pages, this.#totals] = [Number(from.at.value), pages, []];
    [this.#extra, this.#quietLooks, this.#isOver] = [0, 0, false];
    if (isFirst) {
      await this.list.compareLeft(left);
      this.list.count.reopen(items, left);
    }
    let at = isFirst ? yield* this.#take(from) : this.#positionOf(this.#taken + 1);
    if (at?.flag !== "page") return at;
    // Rows added later are not part of a frozen window, so several pages can be requested at once.
    const width = this.#isFrozen(to) ? this.list.request.client.width : 1;
    for await (const answer of inOrder(this.#requests(), width)) {
      await yieldToSocket();
      at = yield* this.#takeNext(answer);
      if (at?.flag !== "page" || this.#isOver) return at;
    }
    return at;
  }

  *#requests(): Generator<() => Promise<NumberedAnswer>> {
    const { handOverAfter = Number.POSITIVE_INFINITY } = this.list.reply;
    for (let number = this.#taken + 1; number <= Math.min(this.#pages, handOverAfter); number += 1) {
      // All pages after the last one taken are already pending, so the wanted pages are counted from there.
      if (number - this.#taken > this.list.pagesLeft()) return;
      yield async () => await this.list.ask(this.#positionOf(number));
    }
  }

  #positionOf(number: number): Position {
    return { flag: "page", value: String(number), to: this.#to };
  }

  /** Returns the position where the list continues. */
  *#take(answer: NumberedAnswer): Generator<Page, Position | undefined> {
    this.#total = totalOf(answer);
    [this.#taken, this.#pages] = [Number(answer.at.value), answer.totals.pages];
    const page = this.list.take(answer, this.list.holdsEdge(answer));
    yield page;
    return nextOf(page);
  }

  /** Whether the list had the same total in the meantime. Responses may arrive in another order than their requests. */
  #isStill({ sent, items }: Total): boolean {
    const [first, last] = [Math.min(sent, this.#total.sent), Math.max(sent, this.#total.sent)];
    const isOther = (other: Total): boolean =>
      other.sent > first && other.sent < last && other.items !== items;
    return items === this.#total.items && !this.#totals.some(isOther);
  }

  /**
   * If the total differs from the previous one, the list has shifted in between, and the window first locates the last
   * row taken, so that the pull continues in the right position.
   */
  async *#takeNext(requested: NumberedAnswer): Pages {
    const { edge, reply } = this.list;
    const number = this.#taken + 1;
    let answer = requested;
    for (let tries = 1; ; tries += 1) {
      const settled = await this.#settle(answer);
      if (settled === undefined) {
        this.#isOver = true;
        return this.#positionOf(number);
      }
      answer = settled;
      const { items } = answer.totals;
      this.#totals.push(totalOf(answer));
      // Late rows have shifted the edge onto this page, so no row between the edge and this page can be missing.
      if (this.#isStill(totalOf(answer)) || this.list.holdsEdge(answer)) break;
      const isExpiring = this.#quietLooks >= quietLooksAllowed && items <= this.#itemsAtFirst;
      if (isExpiring || tries === triesAPage) {
        this.list.isDoubted = true;
        break;
      }
      if (!this.#mayLookBack(number)) return this.#leaveFor(this.#positionOf(number));
      // This request was sent before the one that showed that the list had shifted.
      if (answer.sent < this.#total.sent) {
        answer = await this.#askAgain(number);
        continue;
      }
      const before = await this.#askAgain(number - 1);
      this.#totals.push(totalOf(before));
      const at = edge.find(before.rows);
      if (at < 0 && reply.handOverAfter !== undefined) {
        // The list has shifted by more than a page, so only a row's id leads back to the edge.
        const id = edge.lastWholeId;
        const page = this.#positionOf(number);
        return this.#leaveFor(id === undefined ? page : { ...page, flag: "cursor", value: id });
      }
      if (at < 0) yield* this.#takeAgainBefore(number, before);
      else if (at === before.rows.length - 1) {
        if (items === before.totals.items) this.#quietLooks += 1;
        this.#total = totalOf(before);
      } else {
        const next = yield* this.#take(before);
        if (next?.flag !== "page") return next;
      }
      if (!this.#isStill(totalOf(answer))) answer = await this.#askAgain(number);
    }
    return yield* this.#take(answer);
  }

  /**
   * Returns undefined if the pull has to leave the window to get the page. A page that contradicts its own totals is
   * requested again immediately, so that the pending pages after it are not paid for twice.
   */
  async #settle(requested: NumberedAnswer): Promise<NumberedAnswer | undefined> {
    for (let answer = requested; ; answer = await this.list.ask(answer.at)) {
      if (await this.list.settle(answer)) return answer;
      if (this.list.isInVain() && this.list.reply.handOverAfter !== undefined) return undefined;
    }
  }

  /** Starts at the closest page that begins with a known row, so that no gap remains. */
  async *#takeAgainBefore(number: number, before: NumberedAnswer): AsyncGenerator<Page> {
    const { list } = this;
    let first = before;
    for (let page = number - 2; page > 0 && !list.hasTaken(first) && this.#mayLookBack(number); page -= 1)
      first = await this.#askAgain(page);
    const from = Number(first.at.value);
    if (from > 1 && !list.hasTaken(first)) list.isDoubted = true;
    yield* this.#take(first);
    for (let page = from + 1; page < number; page += 1) yield* this.#take(await this.#askAgain(page));
  }

  async #askAgain(number: number): Promise<NumberedAnswer> {
    this.#extra += 1;
    return await this.list.ask(this.#positionOf(number));
  }

  #mayLookBack(number: number): boolean {
    return this.#extra < extraAllowed + number / pagesAnExtra;
  }

  #leaveFor(at: Position): Position {
    this.#mishaps += 1;
    [this.#isLeft, this.#isOver] = [true, true];
    return at;
  }
}

/** In the API's format, but no later than the requested bound. */
function upperBound({ seconds, fraction }: Instant, later: number, requested: string | undefined): string {
  const instant = { seconds: seconds + later, fraction };
  const isBeyond = requested !== undefined && compareInstants(fromWire(requested), instant) < 0;
  return isBeyond ? requested : toWire(instant);
}

/** False for a bound such as `-1h` in a raw API call, because it moves with the service's clock. */
function isFixed(bound: string): boolean {
  return /^\d+$/u.test(bound) || parseRfc3339(bound) !== undefined;
}
