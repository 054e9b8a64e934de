import { onlyGroup, type RowShape, rowShape } from "../../contract/endpoint.ts";
import { member } from "../../json/raw-json.ts";
import { type Instant, parseRfc3339 } from "../../time/time.ts";
import type { Rows } from "../rows/rows.ts";
import { incompleteList } from "./completeness.ts";
import { createDistinctFilter, hasNewRow, isKnown } from "./distinct-pages.ts";
import {
  cappedAt,
  countedRows,
  isAnotherPage,
  isEnd,
  isLastCursor,
  itemsOf,
  ListCount,
  type NumberedAnswer,
  type NumberedPages,
  placeAfter,
} from "./numbered-answer.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { type AskingForList, type Page, type Place, timeFieldOf } from "./page.ts";

/** Returns the place where the list continues; undefined after the end of the list. */
export type Pages = AsyncGenerator<Page, Place | undefined>;

/**
 * A pull's progress through numbered pages. A response that contradicts the service's count is first requested again
 * (see completeness.ts). `FrozenWindows` decides which pages are requested at the same time.
 */
export class NumberedWalk {
  readonly asking: AskingForList;
  readonly reply: NumberedPages;
  readonly edge: RowEdge;
  readonly count: ListCount;
  pageSize: number;
  last: NumberedAnswer | undefined;
  /** Rows may have shifted past the pull, so the count no longer proves that the list is complete. */
  isDoubted = false;
  readonly #read: ReturnType<typeof createAnswerReader>;
  readonly #distinct: ReturnType<typeof createDistinctFilter>;
  #newest: Instant | undefined;
  /** The contradiction between the list and its count, if the list was accepted anyway. */
  #accepted: string | undefined;
  /** The number of retries since the last new row. */
  #repeats = 0;
  #doubted: NumberedAnswer | undefined;
  /** The response that was taken even though it contradicts the count. */
  #pardoned: NumberedAnswer | undefined;
  #believesNumbers = true;
  #believesLengths = true;

  constructor(asking: AskingForList, reply: NumberedPages) {
    const { endpoint, walk } = asking;
    this.asking = asking;
    this.reply = reply;
    this.pageSize = walk.pageSize;
    this.edge = new RowEdge(rowShape(endpoint), walk.after);
    this.count = new ListCount(walk.start);
    this.#read = createAnswerReader(reply.rows, rowShape(endpoint), walk);
    this.#distinct = createDistinctFilter(walk.seen);
  }

  /** Requests a page in the window that the place is frozen to. */
  async ask(at: Place): Promise<NumberedAnswer> {
    const { client, endpoint, args } = this.asking;
    const { pageSize } = this;
    const query = new Map([...args, ["limit", String(pageSize)], [at.flag, at.value]]);
    if (at.to !== undefined) query.set("to", at.to);
    const { envelope, rows } = this.#read(await client.ask(endpoint, query));
    const info = member(envelope, "page_info");
    const total = (name: string): number => {
      const value = member(info, name);
      return typeof value === "number" ? value : Number.NaN;
    };
    const [page, limit] = [total("page"), total("limit")];
    const totals = { page, limit, items: total("total_items"), pages: total("total_pages") };
    return { at, pageSize, rows, totals, offered: member(info, "next_cursor") };
  }

  /** `isReplayedPage` means that the response contains the edge. */
  take(answer: NumberedAnswer, isReplayedPage = false): Page {
    const { edge, count, reply } = this;
    const { at, rows } = answer;
    this.#newest ??= edge.instantOf(rows.marks()[0]);
    const before = this.listed();
    const distinct = this.#distinct.filter(rows);
    count.take(answer, this.listed() - before);
    // A page without new rows does not change the position.
    if (!distinct.isBarren) {
      edge.moveTo(rows, isReplayedPage);
      this.#repeats = 0;
    }
    this.last = answer;
    const page: Page = { group: onlyGroup, ...distinct, at, left: count.left, next: undefined };
    const here = isReplayedPage || this.#isReadAgain(at) ? { ...page, isReplayedPage: true } : page;
    const isOneId = at.flag === "cursor" && (edge.lastWholeId ?? at.value) === at.value;
    if (isOneId && rows.length >= this.pageSize && this.pageSize < reply.maxLimit) {
      // No cursor can skip past one transaction's events if they fill the page, so the page size is increased.
      this.pageSize = reply.maxLimit;
      count.isUsable = false;
      return { ...here, next: at };
    }
    if (isEnd(answer, !distinct.isBarren)) return this.#lastPage(here);
    const next = placeAfter(answer, reply, edge.lastWholeId);
    return { ...here, next: { ...next, due: count.due(this.listed()), items: itemsOf(answer) } };
  }

  #lastPage(page: Page): Page {
    if (!this.asking.walk.isStrict) this.#accepted ??= this.count.shortfall(this.listed());
    const isProved = page.left === 0 && this.#accepted === undefined && !this.isDoubted;
    return isProved ? { ...page, proof: "count" } : this.withoutProof(page);
  }

  /** For a list that cannot be proved complete. Adds a warning if the list contradicts its count. */
  withoutProof(page: Page): Page {
    const accepted = this.#accepted;
    const warning = accepted === undefined ? undefined : `the list may be incomplete: ${accepted}`;
    return { ...page, next: undefined, proof: "end of list", warning };
  }

  listed(): number {
    return this.#distinct.listed();
  }

  /** Whether the page begins with a row that was already read, so that no row is missing before it. */
  hasTaken({ rows }: NumberedAnswer): boolean {
    return isKnown(rows, 0, this.asking.walk.seen);
  }

  /** An earlier run has already read the pages before the place where the pull starts. */
  #isReadAgain({ flag, value, to }: Place): boolean {
    const { start } = this.asking.walk;
    return (
      start?.flag === "page" && flag === "page" && to === start.to && Number(value) < Number(start.value)
    );
  }

  holdsEdge({ rows }: NumberedAnswer): boolean {
    return this.edge.find(rows) >= 0;
  }

  /** Pages that are both promised and wanted: at least one, and Infinity if neither number is known. */
  pagesLeft(): number {
    const wanted = (this.asking.walk.wanted ?? Number.POSITIVE_INFINITY) - this.listed();
    return Math.min(this.count.pagesLeft, Math.max(1, Math.ceil(wanted / this.pageSize)));
  }

  /** The last response that had to be requested again; undefined if a new row has arrived since. */
  contradicted(): NumberedAnswer | undefined {
    return this.#repeats > 0 ? this.#doubted : undefined;
  }

  /** All retries since the last new row have been used, so only a different URL can help. */
  isInVain(): boolean {
    return this.#repeats > 0 && this.#repeats === this.asking.client.mostRepeats;
  }

  /**
   * A false result means that the wait is over and the page has to be requested again. After the last retry, the
   * response is taken as is, or the pull ends with a failure.
   */
  async *settle(answer: NumberedAnswer): AsyncGenerator<Page, boolean> {
    for (;;) {
      const problem = this.#contradiction(answer);
      if (problem === undefined) return true;
      if (await this.again(problem, answer)) return false;
      if (!this.#believe(answer)) yield* this.refuse(problem, answer);
    }
  }

  /** Why this response cannot be the next page, judging by its own and earlier totals. */
  #contradiction(answer: NumberedAnswer): string | undefined {
    const { at, pageSize, rows, totals } = answer;
    const { left, window } = this.count;
    if (answer === this.#pardoned) return undefined;
    if (at.flag === "cursor") return this.#believesLengths ? this.#shortPage(answer) : undefined;
    if (this.#believesNumbers && isAnotherPage(answer))
      return `the service returned page ${totals.page} instead of page ${at.value}`;
    const counted = countedRows(answer);
    // Unusable totals do not invalidate an earlier count.
    const expected = counted ?? Math.min(pageSize, left ?? 0);
    if (rows.length < expected) return `page ${at.value} has only ${rows.length} of ${expected} rows`;
    if (rows.length === 0 || this.#isReadAgain(at) || hasNewRow(rows, this.asking.walk.seen))
      return undefined;
    const isPromised = (counted ?? left ?? 0) > 0 || totals.pages > Number(at.value);
    // New rows shift known rows into this page; in that case, the last row taken is one of them.
    const isPushedBack = totals.items !== window.items && this.holdsEdge(answer);
    return isPromised && !isPushedBack ? `page ${at.value} repeats earlier rows` : undefined;
  }

  /** Why a cursor page is incomplete: it is short, although more rows are counted and another page follows. */
  #shortPage(answer: NumberedAnswer): string | undefined {
    const { pageSize, rows } = answer;
    const most = Math.min(pageSize, this.count.left ?? 0, cappedAt(answer));
    const isComplete = isLastCursor(answer) || rows.length >= most;
    return isComplete ? undefined : `a page has only ${rows.length} of ${most} rows`;
  }

  /** Returns false when no retries are left. */
  async again(problem: string, answer: NumberedAnswer): Promise<boolean> {
    this.#doubted = answer;
    this.#repeats += 1;
    return await this.asking.client.again(this.#repeats, problem);
  }

  /**
   * Accepts an anomaly that persists after all retries if it may be the service's normal behavior: short cursor pages
   * or different page numbers. Later pages are not checked for it; at the end, the count shows any missing rows.
   */
  #believe(answer: NumberedAnswer): boolean {
    if (answer.at.flag === "cursor") {
      this.#believesLengths = false;
      return true;
    }
    if (!this.#believesNumbers || !isAnotherPage(answer)) return false;
    this.#believesNumbers = false;
    this.isDoubted = true;
    return true;
  }

  /** The rows are returned before the failure, because they are already paid for. `--no-strict` accepts the page. */
  *refuse(problem: string, answer: NumberedAnswer): Generator<Page, void> {
    const { edge, count } = this;
    const { flag, value, to } = answer.at;
    this.#pardoned = answer;
    if (!this.asking.walk.isStrict || count.hasBeenLess(answer)) this.#accepted = problem;
    if (this.#accepted !== undefined) {
      this.#repeats = 0;
      return;
    }
    // Some rows of this page were taken, so it is unknown how many rows are still missing.
    const promised = itemsOf(answer);
    const page = { ...this.take(answer), next: { flag, value, to, items: promised } };
    if (page.rows.length > 0) yield page;
    const rows = count.left ?? (promised === undefined ? undefined : Math.max(0, promised - this.listed()));
    throw incompleteList(problem, rows, edge.instantOf(edge.last));
  }

  /** Requests the total again. Returns how many counted rows were not on any page. */
  async missing(): Promise<number> {
    const { to, items = 0 } = this.count.window;
    const { totals } = await this.ask({ flag: "page", value: "1", to });
    const withdrawn = Math.max(0, items - totals.items);
    return Math.max(0, (this.count.left ?? 0) - withdrawn);
  }

  /** Fails if the pages had fewer rows than the service reported at the start. */
  confirm(): void {
    const problem = this.#accepted === undefined ? this.count.shortfall(this.listed()) : undefined;
    if (problem !== undefined) throw incompleteList(problem, this.count.due(this.listed()), this.#newest);
  }
}

/** The current position in a list that is sorted from newest to oldest. */
class RowEdge {
  /** The identity and time of the last row taken. */
  last: object | undefined;
  /** The last id whose rows were all taken. */
  lastWholeId: string | undefined;
  /** How many of the last rows taken have the same time. */
  ties: number;
  #lastId: unknown;
  readonly #identity: readonly string[];
  readonly #timeField: string;

  /** `start` is the last row of an earlier run. */
  constructor(shape: RowShape, start: object | undefined) {
    this.last = start;
    this.ties = start === undefined ? 0 : 1;
    this.#identity = shape.identity;
    this.#timeField = timeFieldOf(shape) ?? "";
  }

  /** `isReplayedPage` means that the rows begin before the edge. */
  moveTo(rows: Rows, isReplayedPage: boolean): void {
    const [idField = ""] = this.#identity;
    // These rows do not begin after the edge, so their first id does not prove that the edge's id is complete.
    if (isReplayedPage) this.#lastId = undefined;
    for (const row of rows.marks()) {
      const id = member(row, idField);
      if (id !== this.#lastId && typeof this.#lastId === "string") this.lastWholeId = this.#lastId;
      this.#lastId = id;
      const isTie =
        this.last !== undefined && member(row, this.#timeField) === member(this.last, this.#timeField);
      this.ties = isTie ? this.ties + 1 : 1;
      this.last = row;
    }
  }

  /** Returns -1 if the last row taken is not one of these rows. */
  find(rows: Rows): number {
    const { last } = this;
    if (last === undefined) return -1;
    const isLast = (row: object): boolean =>
      this.#identity.every((field) => member(row, field) === member(last, field));
    return rows.marks().findIndex(isLast);
  }

  instantOf(row: object | undefined): Instant | undefined {
    const time = member(row, this.#timeField);
    return typeof time === "string" ? parseRfc3339(time) : undefined;
  }
}
