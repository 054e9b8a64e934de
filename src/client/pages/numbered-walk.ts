import { onlyGroup, rowShape } from "../../contract/endpoint.ts";
import type { Instant } from "../../time/time.ts";
import { createDistinctFilter, type DistinctFilter, isKnown } from "./distinct-pages.ts";
import { ListCount } from "./list-count.ts";
import {
  createAskPage,
  isEnd,
  itemsOf,
  type NumberedAnswer,
  type NumberedPages,
  placeAfter,
} from "./numbered-answer.ts";
import type { AskingForList, Page, Place } from "./page.ts";
import { RowEdge } from "./row-edge.ts";

/** Pages, and then where the list goes on; undefined after its end. */
export type Pages = AsyncGenerator<Page, Place | undefined>;

/**
 * How far a walk through numbered pages has come. Answers go in one after the other, each becomes a page, and the page has the
 * place of the next one. Whether an answer may go in is for `NumberedDoubts` to say; which pages are requested side by side, for
 * `FrozenWindows`.
 */
export class NumberedWalk {
  readonly asking: AskingForList;
  readonly reply: NumberedPages;
  readonly edge: RowEdge;
  readonly count: ListCount;
  /** Rows a request asks for. */
  pageSize: number;
  /** The answer taken last. */
  last: NumberedAnswer | undefined;
  /** When the first row of the list was. */
  newest: Instant | undefined;
  /** How often pages were requested again since the last new row. */
  repeats = 0;
  /** Rows may have moved past the walk, so the count no longer proves that the list is complete. */
  isDoubted = false;
  /** How an accepted list contradicts its count. */
  accepted: string | undefined;
  readonly #request: ReturnType<typeof createAskPage>;
  readonly #distinct: DistinctFilter;

  constructor(asking: AskingForList, reply: NumberedPages) {
    const { endpoint, walk } = asking;
    this.asking = asking;
    this.reply = reply;
    this.pageSize = walk.pageSize;
    this.edge = new RowEdge(rowShape(endpoint), walk.after);
    this.count = new ListCount(walk.start);
    this.#request = createAskPage(asking, reply);
    this.#distinct = createDistinctFilter(walk.seen);
  }

  async ask(at: Place): Promise<NumberedAnswer> {
    return await this.#request(at, this.pageSize);
  }

  /** Takes an answer as the next of the list: its page, and where the list goes on. `isAgain`: the edge lies in it. */
  take(answer: NumberedAnswer, isAgain = false): Page {
    const { edge, count, reply } = this;
    const { at, rows } = answer;
    this.newest ??= edge.instantOf(rows.marks()[0]);
    const before = this.listed();
    const distinct = this.#distinct.filter(rows);
    count.take(answer, this.listed() - before);
    // A page without a new row moves nothing: the walk is where it was.
    if (!distinct.isBarren) {
      edge.moveTo(rows, isAgain);
      this.repeats = 0;
    }
    this.last = answer;
    const page: Page = { group: onlyGroup, ...distinct, at, left: count.left, next: undefined };
    const here = isAgain || this.isReadAgain(at) ? { ...page, isAgain: true } : page;
    const isOneId = at.flag === "cursor" && (edge.lastWholeId ?? at.value) === at.value;
    if (isOneId && rows.length >= this.pageSize && this.pageSize < reply.maxLimit) {
      // The events of one transaction fill the page, so no cursor leads beyond them: only a larger page does.
      this.pageSize = reply.maxLimit;
      count.isUsable = false;
      return { ...here, next: at };
    }
    if (isEnd(answer, !distinct.isBarren)) return this.#lastPage(here);
    const next = placeAfter(answer, reply, edge.lastWholeId);
    return { ...here, next: { ...next, due: count.due(this.listed()), items: itemsOf(answer) } };
  }

  #lastPage(page: Page): Page {
    if (!this.asking.walk.isStrict) this.accepted ??= this.count.shortfall(this.listed());
    const isProved = page.left === 0 && this.accepted === undefined && !this.isDoubted;
    return isProved ? { ...page, proof: "count" } : this.withoutProof(page);
  }

  /** Turns the page into the last one of a list without proof, with a warning if the list contradicts its count. */
  withoutProof(page: Page): Page {
    const { accepted } = this;
    const warning = accepted === undefined ? undefined : `the list may be incomplete: ${accepted}`;
    return { ...page, next: undefined, proof: "end of list", warning };
  }

  /** How many rows of the list have been taken. */
  listed(): number {
    return this.#distinct.listed();
  }

  /** Whether the first row of the page was taken before, so that there is no gap in front of this page. */
  hasTaken({ rows }: NumberedAnswer): boolean {
    return isKnown(rows, 0, this.asking.walk.seen);
  }

  /** A page before the one where the walk begins was read by an earlier run. */
  isReadAgain({ flag, value, to }: Place): boolean {
    const { start } = this.asking.walk;
    return (
      start?.flag === "page" && flag === "page" && to === start.to && Number(value) < Number(start.value)
    );
  }

  /** Whether the last row taken stands in this page. */
  holdsEdge({ rows }: NumberedAnswer): boolean {
    return this.edge.find(rows) >= 0;
  }

  /** Pages after the one taken last which are both promised and wanted, at least one; Infinity where neither is known. */
  pagesLeft(): number {
    const wanted = (this.asking.walk.wanted ?? Number.POSITIVE_INFINITY) - this.listed();
    return Math.min(this.count.pagesLeft, Math.max(1, Math.ceil(wanted / this.pageSize)));
  }
}
