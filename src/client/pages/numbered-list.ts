import { rowShape } from "../../api/endpoint.ts";
import { affectsOneInput, Failure } from "../../base/failure.ts";
import { member } from "../../base/json/json-scan.ts";
import { counted } from "../../base/text/words.ts";
import type { Instant } from "../../base/time/time.ts";
import { createOwnershipCheck, foreignFailure } from "../response/ownership.ts";
import type { Rows } from "../rows.ts";
import {
  type Doubt,
  ended,
  more,
  type Page,
  pageOf,
  type Position,
  type Reading,
  rejectedPosition,
  remark,
  doubtOf,
} from "../page.ts";
import {
  countedRows,
  isByCursor,
  isCounted,
  isEnd,
  ListCount,
  type NumberedAnswer,
  type NumberedPages,
  positionAfter,
} from "./numbered-answer.ts";
import { contradictionIn, type Habit, isPushedBack, type NumberedState } from "./judge-numbered-page.ts";
import { createAnswerReader, createRowInspector, type InspectedRows, RowEdge } from "./page-rows.ts";
import type { ListRequest } from "../list-plan.ts";

/** Fewer pages do not justify a new window, which repeats a few rows and may turn out not to contain the edge. */
export const worthAWindow = 20;

/** Returns the position where the list continues; undefined after the end of the list. */
export type Pages = AsyncGenerator<Page, Position | undefined>;

/**
 * A pull's progress through numbered pages. A response that contradicts the service's count is first requested again
 * (see page.ts). `FrozenWindows` decides which pages are requested at the same time.
 */
export class NumberedList implements NumberedState {
  readonly request: ListRequest & Reading;
  readonly reply: NumberedPages;
  readonly edge: RowEdge;
  readonly count: ListCount;
  pageSize: number;
  last: NumberedAnswer | undefined;
  /** Rows may have shifted past the pull, so the count no longer proves that the list is complete. */
  isDoubted: boolean;
  /** Contradictions that remained after all retries. */
  readonly doubts: Doubt[] = [];
  readonly #read: ReturnType<typeof createAnswerReader>;
  readonly #inspect: (rows: Rows) => InspectedRows;
  readonly #foreignIn: ReturnType<typeof createOwnershipCheck>;
  /** Of the response that was judged last, unless rows were taken since. */
  #inspected: { readonly answer: NumberedAnswer; readonly rows: InspectedRows } | undefined;
  /** The number of requests sent so far. */
  #sent = 0;
  #newest: Instant | undefined;
  /** A contradiction that says nothing, because earlier counts contradict each other as well. */
  #accepted: string | undefined;
  /** The last response that had to be requested again, and the number of retries; undefined after a new row. */
  retried:
    | { readonly answer: NumberedAnswer; readonly repeats: number; readonly problem: string }
    | undefined;
  /** The response that was taken even though it contradicts the count. */
  #pardoned: NumberedAnswer | undefined;
  readonly #habits = new Set<Habit>();

  constructor(request: ListRequest & Reading, reply: NumberedPages) {
    const { endpoint, list, args } = request;
    this.request = request;
    this.reply = reply;
    this.pageSize = list.pageSize;
    this.edge = new RowEdge(rowShape(endpoint), request.after);
    this.count = new ListCount(list.start, list.pageSize);
    this.isDoubted = list.start?.isDoubted ?? false;
    this.#read = createAnswerReader(reply.rows, rowShape(endpoint), request);
    this.#inspect = createRowInspector(request.seen);
    this.#foreignIn = createOwnershipCheck(endpoint, args);
  }

  /**
   * Requests a page in the window that the position is frozen to. A response about another asset is requested again, and
   * is never returned.
   */
  async ask(at: Position): Promise<NumberedAnswer> {
    const { client, list } = this.request;
    for (let repeats = 1; ; repeats += 1) {
      const answer = await this.#request(at);
      const foreign = this.#foreignIn?.(answer.rows.distinct);
      if (foreign === undefined || (!list.isStrict && foreign.only !== undefined)) return answer;
      if (!(await client.again(repeats, foreign.problem))) throw foreignFailure(foreign);
    }
  }

  async #request(at: Position): Promise<NumberedAnswer> {
    const { client, endpoint, args, list } = this.request;
    const { pageSize } = this;
    const sent = (this.#sent += 1);
    const query = new Map([...args, ["limit", String(pageSize)], [at.flag, at.value]]);
    if (at.to !== undefined) query.set("to", at.to);
    const document = await client.ask(endpoint, query).catch((cause: unknown) => {
      // A cursor is the ID of a row that the service has sent, so a rejected one is not a user's mistake.
      const isOwn = at.flag === "cursor" && at.value !== list.start?.value;
      if (!isOwn || !(cause instanceof Failure) || !affectsOneInput(cause)) throw cause;
      throw rejectedPosition(this.doubts, this.count.left, this.edge.instantOf(this.edge.last));
    });
    const { envelope, rows } = this.#read(document);
    const info = member(envelope, "page_info");
    const total = (name: string): number => {
      const value = member(info, name);
      return typeof value === "number" ? value : Number.NaN;
    };
    const [page, limit] = [total("page"), total("limit")];
    const totals = { page, limit, items: total("total_items"), pages: total("total_pages") };
    const offered = this.reply.handOverAfter === undefined ? undefined : member(info, "next_cursor");
    return { at, sent, pageSize, rows, totals, offered };
  }

  /** Compares the rows with those taken so far. */
  inspectRowsOf(answer: NumberedAnswer): InspectedRows {
    if (this.#inspected?.answer !== answer) this.#inspected = { answer, rows: this.#inspect(answer.rows) };
    return this.#inspected.rows;
  }

  /** `isRetryOfPage` means that the response contains the edge. */
  take(answer: NumberedAnswer, isRetryOfPage = false): Page {
    const { edge, count, reply } = this;
    const { at, rows } = answer;
    this.#newest ??= edge.instantOf(rows.marks()[0]);
    const { fresh, known, twins, take } = this.inspectRowsOf(answer);
    const readAgain = this.isReadAgain(at) ? known.length : 0;
    const pushedBack = readAgain === 0 && known.length > 0 && isPushedBack(answer, this) ? known.length : 0;
    this.#inspected = undefined;
    const kept = take();
    count.take(answer, fresh, { pushedBack, readAgain });
    // A page without new rows does not change the position.
    if (kept.adds === "rows") {
      edge.moveTo(rows, isRetryOfPage);
      this.retried = undefined;
    }
    const before = this.last;
    this.last = answer;
    const here: Page = {
      ...pageOf(kept.rows, this.moreAfter(at, at), [...kept.notes, ...remark("twins", twins)]),
      adds: isRetryOfPage || this.isReadAgain(at) ? "read again" : kept.adds,
      at,
      left: leftAfter(answer, count.left),
    };
    const isFromCursor = at.flag === "cursor" || (at.value === "1" && isByCursor(answer));
    const isOneId = isFromCursor && (edge.lastWholeId ?? at.value) === at.value;
    if (isOneId && rows.length >= this.pageSize && this.pageSize < reply.maxLimit) {
      // No cursor can skip past one transaction's events if they fill the page, so the page size is increased.
      this.pageSize = reply.maxLimit;
      count.isUsable = false;
      return here;
    }
    if (isEnd(answer, kept.adds === "rows", before)) return this.lastPage(here);
    const next = positionAfter(answer, reply, edge.lastWholeId);
    const items = at.flag === "cursor" ? count.window.items : answer.totals.items;
    const position = { ...next, due: count.due(), items: Number.isSafeInteger(items) ? items : undefined };
    return { ...here, end: this.moreAfter(at, position) };
  }

  /** The list continues at `next` after the page at `at`. */
  moreAfter(at: Position, next: Position): Page["end"] {
    return more(next, this.doubts, this.#isOpen(at));
  }

  /**
   * Pages by cursor do not name themselves, so only the count after them shows that one was another page. If that is soon,
   * a resumed pull reads them again. A longer list is counted in between, unless its windows are unreliable. If pages
   * with other numbers were accepted, a later page can show that one of them was another page after all.
   */
  #isOpen({ flag }: Position): boolean {
    if (this.#habits.has("numbers")) return true;
    return flag === "cursor" && this.count.left !== undefined && this.count.pagesLeft < worthAWindow;
  }

  /** Compares the rows left in a window after pages by cursor with the earlier count. */
  async compareLeft(left: number): Promise<void> {
    const { count, last } = this;
    if (last?.at.flag !== "cursor" || count.left === undefined || left >= count.left) return;
    const lost = (await this.missing()) - left;
    if (lost > 0) this.doubt(`pages by cursor lack ${counted(lost, "row")}`, last, lost);
  }

  /** The list is proved complete if all counted rows were returned. That also refutes any doubts. */
  lastPage(page: Page): Page {
    const { count, doubts } = this;
    const { listed, left } = count;
    const due = count.due();
    if (due !== undefined && due > 0 && left === 0 && doubts.length === 0) {
      const problem = `the service reports ${counted(listed + due, "row")} but returned ${counted(listed, "row")}`;
      doubts.push({ problem, rows: due, before: this.#newest });
    }
    const isRefuted = due !== undefined && due <= 0;
    const hasRows = listed > 0 || this.request.list.start !== undefined;
    const isProved = left === 0 && (doubts.length === 0 || isRefuted) && !this.isDoubted && hasRows;
    if (!isProved) return this.withoutProof(page);
    return { ...page, end: { kind: "last", proof: { by: "count", rows: listed }, doubts: [] } };
  }

  /** For a list that cannot be proved complete. */
  withoutProof(page: Page): Page {
    const { left = 0 } = this.count;
    const due = this.count.due();
    const doubts = this.doubts.map((doubt, index) => {
      // If all rows first counted were returned, the problem is another one.
      if (due !== undefined) return { ...doubt, rows: index > 0 ? 0 : due > 0 ? due : undefined };
      return index === 0 && doubt.rows !== undefined ? { ...doubt, rows: doubt.rows + left } : doubt;
    });
    const warning =
      this.#accepted === undefined ? undefined : `the list may be incomplete: ${this.#accepted}`;
    return { ...page, notes: [...page.notes, ...doubtOf(warning)], end: ended("end of list", doubts) };
  }

  /** Whether the page begins with a row that was already read, so that no row is missing before it. */
  hasTaken(answer: NumberedAnswer): boolean {
    return this.inspectRowsOf(answer).known[0] === 0;
  }

  /** An earlier run has already read the pages before the position where the pull starts. */
  isReadAgain({ flag, value, to }: Position): boolean {
    const { start } = this.request.list;
    return (
      start?.flag === "page" && flag === "page" && to === start.to && Number(value) < Number(start.value)
    );
  }

  holdsEdge({ rows }: NumberedAnswer): boolean {
    return this.edge.find(rows) >= 0;
  }

  /** Pages that are both promised and wanted: at least one, and Infinity if neither number is known. */
  pagesLeft(): number {
    const { readsAhead, wanted: all = Number.POSITIVE_INFINITY } = this.request;
    const wanted = readsAhead ? all - this.count.listed : 0;
    return Math.min(this.count.pagesLeft, Math.max(1, Math.ceil(wanted / this.pageSize)));
  }

  /** All retries since the last new row have been used, so only a different URL can help. */
  isInVain(): boolean {
    return this.retried?.repeats === this.request.client.maxRepeats;
  }

  /**
   * A false result means that the wait is over and the page has to be requested again. After the last retry, the
   * response is taken as is.
   */
  async settle(answer: NumberedAnswer): Promise<boolean> {
    for (;;) {
      const contradiction =
        answer === this.#pardoned ? undefined : contradictionIn(answer, this, this.#habits);
      if (contradiction === undefined) {
        await this.#readBeforeStart(answer);
        return true;
      }
      const { problem, habit } = contradiction;
      const isConfirmed = this.retried?.problem === problem;
      if (await this.again(problem, answer)) return false;
      if (habit === undefined || (isRisky(habit) && !isConfirmed)) this.doubt(problem, answer);
      else this.#accept(habit);
    }
  }

  /**
   * If all rows up to the last page number have one ID, as in a pull that starts there with one row, no cursor leads past
   * them. The ID before it is then on a page before the start, whose rows are not part of the pull.
   */
  async #readBeforeStart({ at, rows }: NumberedAnswer): Promise<void> {
    const { edge, reply, request } = this;
    if (at.flag !== "page" || Number(at.value) !== reply.handOverAfter) return;
    const one = edge.last ?? rows.marks()[0];
    if (rows.length === 0 || edge.lastOtherId(rows, one) !== undefined) return;
    for (let page = Number(request.list.start?.value); page > 1 && edge.lastWholeId === undefined;) {
      page -= 1;
      const before = await this.ask({ ...at, value: String(page) });
      this.inspectRowsOf(before).take();
      edge.lastWholeId = edge.lastOtherId(before.rows, one);
    }
  }

  /** Later pages are not checked for the anomaly. At the end, the count shows any missing rows. */
  #accept(habit: Habit): void {
    this.#habits.add(habit);
    // The count includes rows that pages by cursor have skipped.
    if (isRisky(habit) && habit !== "edges") this.isDoubted = true;
  }

  /** Returns false when no retries are left. */
  async again(problem: string, answer: NumberedAnswer): Promise<boolean> {
    const repeats = (this.retried?.repeats ?? 0) + 1;
    this.retried = { answer, repeats, problem };
    return await this.request.client.again(repeats, problem);
  }

  /** The response is taken although it contradicts the count. `rows` is the number of missing rows, if it is known. */
  doubt(problem: string, answer: NumberedAnswer, rows = this.#missingOn(answer)): void {
    this.#pardoned = answer;
    this.retried = undefined;
    if (this.count.hasBeenLess(answer, this.inspectRowsOf(answer).fresh))
      [this.#accepted, this.isDoubted] = [problem, true];
    else this.doubts.push({ problem, rows, before: this.edge.instantOf(this.edge.last) });
  }

  /** How many of the rows that the totals promise on this page are not new rows. */
  #missingOn(answer: NumberedAnswer): number | undefined {
    // The count shows the missing rows at the end of the list.
    if (answer.at.flag === "cursor") return 0;
    const rowsHere = countedRows(answer);
    return rowsHere === undefined ? undefined : rowsHere - this.inspectRowsOf(answer).fresh;
  }

  /** Requests the total again. Returns how many counted rows were not on any page. */
  async missing(): Promise<number> {
    const { to, items = 0 } = this.count.window;
    let withdrawn = items;
    // A wrong total would hide the missing rows, so a second response has to confirm it.
    for (let asked = 0; asked < 2 && withdrawn > 0; asked += 1) {
      const answer = await this.ask({ flag: "page", value: "1", to });
      withdrawn = isCounted(answer) ? Math.min(withdrawn, items - answer.totals.items) : 0;
    }
    withdrawn = Math.max(0, withdrawn);
    if (withdrawn > 0) this.count.shift();
    return Math.max(0, (this.count.left ?? 0) - withdrawn);
  }
}

/** Such a page may be another one, so a second response has to confirm that it is normal. */
function isRisky(habit: Habit): boolean {
  return habit === "numbers" || habit === "sizes" || habit === "edges";
}

/** Rows that a short page lacks are still to come. */
function leftAfter(answer: NumberedAnswer, left: number | undefined): number | undefined {
  if (left === undefined || answer.at.flag === "cursor") return left;
  return left + Math.max(0, (countedRows(answer) ?? 0) - answer.rows.length);
}
