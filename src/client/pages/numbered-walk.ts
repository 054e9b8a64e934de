import { onlyGroup, rowShape } from "../../contract/endpoint.ts";
import { member } from "../../json/raw-json.ts";
import { counted } from "../../text/counted.ts";
import type { Instant } from "../../time/time.ts";
import { createOwnershipCheck, type Foreign, foreignFailure } from "../response/ownership.ts";
import type { Rows } from "../rows/rows.ts";
import { createRowInspector, type InspectedRows } from "./distinct-pages.ts";
import { type Doubt, last, more } from "./judge.ts";
import {
  cappedAt,
  countedRows,
  isAnotherPage,
  isEnd,
  isLastCursor,
  isTooLong,
  itemsOf,
  ListCount,
  type NumberedAnswer,
  type NumberedPages,
  placeAfter,
} from "./numbered-answer.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { type AskingForList, type Page, type Place } from "./page.ts";
import { RowEdge } from "./row-edge.ts";

/** Returns the place where the list continues; undefined after the end of the list. */
export type Pages = AsyncGenerator<Page, Place | undefined>;

/** Anomalies that may be the service's normal behavior. They are not doubted once a page has kept one of them. */
type Habit = "numbers" | "lengths" | "sizes" | "order" | "empty";

interface Contradiction {
  readonly problem: string;
  readonly habit?: Habit;
}

/**
 * A pull's progress through numbered pages. A response that contradicts the service's count is first requested again
 * (see judge.ts). `FrozenWindows` decides which pages are requested at the same time.
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
  /** Contradictions that remained after all retries. */
  readonly doubts: Doubt[] = [];
  readonly #read: ReturnType<typeof createAnswerReader>;
  readonly #inspect: (rows: Rows) => InspectedRows;
  readonly #foreignIn: ReturnType<typeof createOwnershipCheck>;
  /** Of the response that was judged last, unless rows were taken since. */
  #inspected: { readonly answer: NumberedAnswer; readonly rows: InspectedRows } | undefined;
  #listed = 0;
  #newest: Instant | undefined;
  /** A contradiction that says nothing, because earlier counts contradict each other as well. */
  #accepted: string | undefined;
  /** The number of retries since the last new row. */
  #repeats = 0;
  #contradicted: NumberedAnswer | undefined;
  /** The response that was taken even though it contradicts the count. */
  #pardoned: NumberedAnswer | undefined;
  readonly #habits = new Set<Habit>();

  constructor(asking: AskingForList, reply: NumberedPages) {
    const { endpoint, walk, args } = asking;
    this.asking = asking;
    this.reply = reply;
    this.pageSize = walk.pageSize;
    this.edge = new RowEdge(rowShape(endpoint), walk.after);
    this.count = new ListCount(walk.start);
    this.#read = createAnswerReader(reply.rows, rowShape(endpoint), walk);
    this.#inspect = createRowInspector(walk.seen);
    this.#foreignIn = createOwnershipCheck(endpoint, args, onlyGroup);
  }

  /**
   * Requests a page in the window that the place is frozen to. A response about another asset is requested again, and
   * is never returned.
   */
  async ask(at: Place): Promise<NumberedAnswer> {
    const { client, walk } = this.asking;
    for (let repeats = 1; ; repeats += 1) {
      const { answer, foreign } = await this.#request(at);
      if (foreign === undefined || (!walk.isStrict && foreign.only !== undefined)) return answer;
      if (!(await client.again(repeats, foreign.problem))) throw foreignFailure(foreign);
    }
  }

  async #request(
    at: Place,
  ): Promise<{ readonly answer: NumberedAnswer; readonly foreign: Foreign | undefined }> {
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
    const answer = { at, pageSize, rows, totals, offered: member(info, "next_cursor") };
    return { answer, foreign: this.#foreignIn?.(rows.distinct) };
  }

  #inspectRowsOf(answer: NumberedAnswer): InspectedRows {
    if (this.#inspected?.answer !== answer) this.#inspected = { answer, rows: this.#inspect(answer.rows) };
    return this.#inspected.rows;
  }

  /** `isReplayedPage` means that the response contains the edge. */
  take(answer: NumberedAnswer, isReplayedPage = false): Page {
    const { edge, count, reply } = this;
    const { at, rows } = answer;
    this.#newest ??= edge.instantOf(rows.marks()[0]);
    const { fresh, known, twins, take } = this.#inspectRowsOf(answer);
    const pushedBack = known.length > 0 && this.#isPushedBack(answer) ? known.length : 0;
    this.#inspected = undefined;
    const kept = take();
    this.#listed += fresh;
    count.take(answer, fresh, pushedBack);
    // A page without new rows does not change the position.
    if (fresh > 0) {
      edge.moveTo(rows, isReplayedPage);
      this.#repeats = 0;
    }
    const before = this.last;
    this.last = answer;
    const page = {
      group: onlyGroup,
      ...kept,
      at,
      left: leftAfter(answer, count.left),
      ...(twins > 0 && { remarks: { twins } }),
    };
    const here = isReplayedPage || this.#isReadAgain(at) ? { ...page, isReplayedPage: true } : page;
    const isOneId = at.flag === "cursor" && (edge.lastWholeId ?? at.value) === at.value;
    if (isOneId && rows.length >= this.pageSize && this.pageSize < reply.maxLimit) {
      // No cursor can skip past one transaction's events if they fill the page, so the page size is increased.
      this.pageSize = reply.maxLimit;
      count.isUsable = false;
      return { ...here, end: more(at, this.doubts) };
    }
    if (isEnd(answer, fresh > 0, before)) return this.lastPage(here);
    const next = placeAfter(answer, reply, edge.lastWholeId);
    const place = { ...next, due: count.due(this.#listed), items: itemsOf(answer) };
    return { ...here, end: more(place, this.doubts) };
  }

  /** The list is proved complete if all counted rows were returned. That also refutes any doubts. */
  lastPage(page: Omit<Page, "end">): Page {
    const { count, doubts } = this;
    const due = count.due(this.#listed) ?? 0;
    if (due > 0 && count.left === 0 && doubts.length === 0) {
      const [owed, returned] = [counted(this.#listed + due, "row"), counted(this.#listed, "row")];
      doubts.push({
        problem: `the service reports ${owed} but returned ${returned}`,
        rows: due,
        before: this.#newest,
      });
    }
    const isRefuted = count.due(this.#listed) !== undefined && due <= 0;
    const hasRows = this.#listed > 0 || this.asking.walk.start !== undefined;
    const isProved = count.left === 0 && (doubts.length === 0 || isRefuted) && !this.isDoubted && hasRows;
    if (!isProved) return this.withoutProof(page);
    return { ...page, end: { kind: "last", proof: { by: "count", rows: this.#listed }, doubts: [] } };
  }

  /** For a list that cannot be proved complete. */
  withoutProof(page: Omit<Page, "end">): Page {
    const [due, { left = 0 }] = [this.count.due(this.#listed), this.count];
    const doubts = this.doubts.map((doubt, index) => {
      if (due !== undefined) return { ...doubt, rows: index === 0 ? due : 0 };
      return index === 0 && doubt.rows !== undefined ? { ...doubt, rows: doubt.rows + left } : doubt;
    });
    const warning =
      this.#accepted === undefined ? undefined : `the list may be incomplete: ${this.#accepted}`;
    return { ...page, end: last("end of list", doubts), warning };
  }

  listed(): number {
    return this.#listed;
  }

  /** Whether the page begins with a row that was already read, so that no row is missing before it. */
  hasTaken(answer: NumberedAnswer): boolean {
    return this.#inspectRowsOf(answer).known[0] === 0;
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
    const wanted = (this.asking.walk.wanted ?? Number.POSITIVE_INFINITY) - this.#listed;
    return Math.min(this.count.pagesLeft, Math.max(1, Math.ceil(wanted / this.pageSize)));
  }

  /** The last response that had to be requested again; undefined if a new row has arrived since. */
  contradicted(): NumberedAnswer | undefined {
    return this.#repeats > 0 ? this.#contradicted : undefined;
  }

  /** All retries since the last new row have been used, so only a different URL can help. */
  isInVain(): boolean {
    return this.#repeats > 0 && this.#repeats === this.asking.client.mostRepeats;
  }

  /**
   * A false result means that the wait is over and the page has to be requested again. After the last retry, the
   * response is taken as is.
   */
  async settle(answer: NumberedAnswer): Promise<boolean> {
    for (;;) {
      const contradiction = this.#contradictionIn(answer);
      if (contradiction === undefined) return true;
      const { problem, habit } = contradiction;
      if (await this.again(problem, answer)) return false;
      if (habit === undefined) this.doubt(problem, answer);
      else this.#accept(habit);
    }
  }

  /** Later pages are not checked for the anomaly. At the end, the count shows any missing rows. */
  #accept(habit: Habit): void {
    this.#habits.add(habit);
    if (habit === "numbers" || habit === "sizes") this.isDoubted = true;
  }

  /** Why this response cannot be the next page, judging by its own and earlier totals. */
  #contradictionIn(answer: NumberedAnswer): Contradiction | undefined {
    const { at, rows, totals } = answer;
    if (answer === this.#pardoned) return undefined;
    const found: readonly (Contradiction | undefined)[] =
      at.flag === "cursor"
        ? [this.#shortCursorPage(answer), this.#repeatsByCursor(answer)]
        : [
            isAnotherPage(answer)
              ? {
                  habit: "numbers",
                  problem: `the service returned page ${totals.page} instead of page ${at.value}`,
                }
              : undefined,
            isTooLong(answer)
              ? {
                  habit: "sizes",
                  problem: `page ${at.value} has ${rows.length} rows; ${answer.pageSize} were requested`,
                }
              : undefined,
            this.#isUnprovedEmptiness(answer)
              ? { habit: "empty", problem: "the first page is empty" }
              : undefined,
            this.#shortPage(answer),
            this.#repeatsByNumber(answer),
          ];
    const isOutOfOrder = this.reply.handOverAfter !== undefined && !this.edge.isSorted(rows);
    const disorder = { habit: "order", problem: "the rows of a page are not sorted by time" } as const;
    return [...found, isOutOfOrder ? disorder : undefined].find(
      (each) => each !== undefined && (each.habit === undefined || !this.#habits.has(each.habit)),
    );
  }

  /** No time range explains why a network has no DEXes, so a second response has to confirm it. */
  #isUnprovedEmptiness({ rows }: NumberedAnswer): boolean {
    return this.reply.handOverAfter === undefined && rows.length === 0 && this.#listed === 0;
  }

  #shortPage(answer: NumberedAnswer): Contradiction | undefined {
    const { at, pageSize, rows } = answer;
    // Unusable totals do not invalidate an earlier count.
    const expected = countedRows(answer) ?? Math.min(pageSize, this.count.left ?? 0);
    if (rows.length >= expected) return undefined;
    return { problem: `page ${at.value} has only ${rows.length} of ${expected} rows` };
  }

  #repeatsByNumber(answer: NumberedAnswer): Contradiction | undefined {
    const { at, totals } = answer;
    if (answer.rows.length === 0 || this.#isReadAgain(at)) return undefined;
    const { known, doubles, fresh } = this.#inspectRowsOf(answer);
    const repeats = known.length + doubles;
    if (repeats === 0 || this.#isPushedBack(answer)) return undefined;
    const rowsHere = countedRows(answer);
    if (rowsHere === undefined) {
      // Without usable totals, only a page that brings nothing new contradicts a promise.
      const isPromised = (this.count.left ?? 0) > 0 || totals.pages > Number(at.value);
      return fresh === 0 && isPromised ? { problem: `page ${at.value} repeats earlier rows` } : undefined;
    }
    if (known.length === 0) return { problem: `page ${at.value} has ${counted(doubles, "row")} twice` };
    return { problem: `page ${at.value} repeats ${counted(repeats, "earlier row")}` };
  }

  /**
   * New rows push known rows onto this page: they are then its first rows, up to the last row taken, and the total has
   * grown by at least as many.
   */
  #isPushedBack(answer: NumberedAnswer): boolean {
    const { known, doubles } = this.#inspectRowsOf(answer);
    const { items } = this.count.window;
    const grown = items === undefined ? Number.POSITIVE_INFINITY : answer.totals.items - items;
    return doubles === 0 && this.#endsAtEdge(answer, known) && known.length <= grown;
  }

  /** Whether the known rows are the first ones, and the last of them is the last row taken. */
  #endsAtEdge({ rows }: NumberedAnswer, known: readonly number[]): boolean {
    return known.at(-1) === known.length - 1 && this.edge.find(rows) === known.length - 1;
  }

  /** A cursor page is incomplete if it is short, although more rows are counted and another page follows. */
  #shortCursorPage(answer: NumberedAnswer): Contradiction | undefined {
    const { pageSize, rows } = answer;
    const most = Math.min(pageSize, this.count.left ?? 0, cappedAt(answer));
    const isComplete = isLastCursor(answer) || rows.length >= most;
    return isComplete
      ? undefined
      : { habit: "lengths", problem: `a page has only ${rows.length} of ${most} rows` };
  }

  /** The cursor is the last ID whose rows are complete, so only rows of the ID at the edge may come again. */
  #repeatsByCursor(answer: NumberedAnswer): Contradiction | undefined {
    const { rows } = answer;
    const { known, doubles } = this.#inspectRowsOf(answer);
    if (known.length + doubles === 0 || known.length === rows.length) return undefined;
    const isSameId =
      doubles === 0 && this.#endsAtEdge(answer, known) && this.edge.isOneId(rows, known.length);
    return isSameId
      ? undefined
      : { problem: `a page repeats ${counted(known.length + doubles, "earlier row")}` };
  }

  /** Returns false when no retries are left. */
  async again(problem: string, answer: NumberedAnswer): Promise<boolean> {
    this.#contradicted = answer;
    this.#repeats += 1;
    return await this.asking.client.again(this.#repeats, problem);
  }

  /** The response is taken although it contradicts the count. `rows` is the number of missing rows, if it is known. */
  doubt(problem: string, answer: NumberedAnswer, rows = this.#missingOn(answer)): void {
    this.#pardoned = answer;
    this.#repeats = 0;
    if (this.count.hasBeenLess(answer)) [this.#accepted, this.isDoubted] = [problem, true];
    else this.doubts.push({ problem, rows, before: this.edge.instantOf(this.edge.last) });
  }

  /** How many of the rows that the totals promise on this page are not new rows. */
  #missingOn(answer: NumberedAnswer): number | undefined {
    // The count shows the missing rows at the end of the list.
    if (answer.at.flag === "cursor") return 0;
    const rowsHere = countedRows(answer);
    return rowsHere === undefined ? undefined : rowsHere - this.#inspectRowsOf(answer).fresh;
  }

  /** Requests the total again. Returns how many counted rows were not on any page. */
  async missing(): Promise<number> {
    const { to, items = 0 } = this.count.window;
    const { totals } = await this.ask({ flag: "page", value: "1", to });
    const withdrawn = Math.max(0, items - totals.items);
    return Math.max(0, (this.count.left ?? 0) - withdrawn);
  }
}

/** Rows that a short page lacks are still to come. */
function leftAfter(answer: NumberedAnswer, left: number | undefined): number | undefined {
  if (left === undefined || answer.at.flag === "cursor") return left;
  return left + Math.max(0, (countedRows(answer) ?? 0) - answer.rows.length);
}
