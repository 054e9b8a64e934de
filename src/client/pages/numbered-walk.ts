import { type Endpoint, rowShape } from "../../model/endpoint.ts";
import { untrustedAnswer } from "../../model/failure.ts";
import type { Instant } from "../../model/time/time.ts";
import type { Args } from "../../model/args.ts";
import type { Client } from "../client.ts";
import { incompleteList } from "./completeness.ts";
import { createDistinctFilter, hasNewRow } from "./distinct-pages.ts";
import { createListCount, type ListCount } from "./list-count.ts";
import { type AskPage, createAskPage, type NumberedAnswer, type NumberedPages } from "./numbered-answer.ts";
import type { Page } from "./page.ts";
import type { ListWalk } from "./pages.ts";
import type { Place } from "./place.ts";
import { createRowEdge, type RowEdge } from "./row-edge.ts";

/** How far a walk through numbered pages has come; what it asks next follows from this. */
export interface NumberedWalk {
  readonly edge: RowEdge;
  readonly count: Pick<ListCount, "left" | "isUsable">;
  readonly ask: (at: Place) => Promise<NumberedAnswer>;
  /** Why this cannot be the next page of the list; undefined where it can. See completeness.ts. */
  readonly contradiction: (answer: NumberedAnswer) => string | undefined;
  /** Waits before a page is requested again because of a contradiction; false once that has been in vain. */
  readonly again: (problem: string) => Promise<boolean>;
  /** How often that was done since the last new row. */
  readonly repeats: () => number;
  /**
   * Returns the rows of a page that still contradicts the count, which are paid for, and ends the walk with a failure. Does
   * nothing where the list is accepted as it is: then no page contradicts anything any more.
   */
  readonly refuse: (problem: string, answer: NumberedAnswer) => Generator<Page, void>;
  /** Takes an answer as the next of the list: its page, and where the list goes on. `isAgain`: the edge lies in it. */
  readonly take: (answer: NumberedAnswer, isAgain?: boolean) => Page;
  /** After the last page: fails where fewer rows have come than the service counted at the beginning. */
  readonly confirm: () => void;
  /** The answer taken last. */
  readonly last: () => NumberedAnswer | undefined;
  /** Pages after that one which are both promised and wanted, at least one; Infinity where neither is known. */
  readonly pagesLeft: () => number;
  /** Rows a request asks for. */
  readonly pageSize: () => number;
}

export function createNumberedWalk(
  client: Client,
  endpoint: Endpoint,
  reply: NumberedPages,
  args: Args,
  walk: ListWalk,
): NumberedWalk {
  const { seen, start } = walk;
  const edge = createRowEdge(rowShape(endpoint), walk.after);
  const askPage: AskPage = createAskPage(client, endpoint, reply, args, walk.isTyped);
  const { filter, listed } = createDistinctFilter(seen);
  const wanted = walk.wanted ?? Number.POSITIVE_INFINITY;
  let { pageSize } = walk;
  const count = createListCount(() => pageSize, start);
  let repeats = 0;
  /** What contradicts the count of a list that is accepted all the same. */
  let accepted: string | undefined;
  let last: NumberedAnswer | undefined;
  let newest: Instant | undefined;

  /** A page before the one where the walk begins was read by an earlier run. */
  const isReadAgain = ({ flag, value, to }: Place): boolean =>
    start?.flag === "page" && flag === "page" && to === start.to && Number(value) < Number(start.value);

  const take = (answer: NumberedAnswer, isAgain = false): Page => {
    const { at, page, totals } = answer;
    const marks = page.rows.marks();
    count.take(answer, marks.length - 1 - edge.find(marks));
    newest ??= edge.instantOf(marks[0]);
    const distinct = filter(page.rows);
    // A page without a new row moves nothing: the walk is where it was.
    if (!distinct.isBarren) {
      edge.moveTo(marks, isAgain);
      repeats = 0;
    }
    last = answer;
    const left = count.left();
    const here = { ...page, ...distinct, at, left, ...((isAgain || isReadAgain(at)) && { isAgain: true }) };
    const isOneId = at.flag === "cursor" && (edge.lastWholeId() ?? at.value) === at.value;
    if (isOneId && page.rows.length >= pageSize && pageSize < reply.maxLimit) {
      // The events of one transaction fill the page, so no cursor leads beyond them: only a larger page does.
      pageSize = reply.maxLimit;
      count.giveUp();
      return { ...here, next: at };
    }
    if (isEnd(answer, pageSize, !distinct.isBarren)) {
      if (!walk.isStrict) accepted ??= count.shortfall(listed());
      const proof = left === 0 && accepted === undefined ? "count" : "end of list";
      const warning = accepted === undefined ? undefined : `the list may be incomplete: ${accepted}`;
      return { ...here, next: undefined, proof, warning };
    }
    const due = count.due(listed());
    const next = nextPlace(answer, reply, edge.lastWholeId());
    const { items } = totals;
    const offset = count.offset();
    const known = {
      ...(due !== undefined && { due }),
      ...(Number.isSafeInteger(items) && { items }),
      ...(offset !== undefined && { offset }),
    };
    return { ...here, next: { ...next, ...known } };
  };

  return {
    edge,
    count,
    ask: async (at) => await askPage(at, pageSize),
    contradiction: (answer) => {
      if (answer.at.flag !== "page" || accepted !== undefined) return undefined;
      const { rows } = answer.page;
      const hasNew = isReadAgain(answer.at) || hasNewRow(rows, seen);
      return count.contradiction(answer, { hasNew, holdsEdge: !hasNew && edge.find(rows.marks()) >= 0 });
    },
    again: async (problem) => {
      repeats += 1;
      return await client.again(repeats, problem);
    },
    repeats: () => repeats,
    *refuse(problem, answer) {
      if (!walk.isStrict || count.hasBeenLess(answer)) accepted = problem;
      if (accepted !== undefined) return;
      const page = { ...take(answer), next: answer.at };
      if (page.rows.length > 0) yield page;
      const promised = answer.totals.items - listed();
      const rows = count.left() ?? (Number.isSafeInteger(promised) ? Math.max(0, promised) : undefined);
      throw incompleteList(problem, rows, edge.instantOf(edge.last()));
    },
    take,
    confirm: () => {
      const problem = accepted === undefined ? count.shortfall(listed()) : undefined;
      if (problem !== undefined) throw incompleteList(problem, count.due(listed()), newest);
    },
    last: () => last,
    pagesLeft: () => Math.min(count.pagesLeft(), Math.max(1, Math.ceil((wanted - listed()) / pageSize))),
    pageSize: () => pageSize,
  };
}

/** The place after this one in the same window: the next number, or beyond the last number a cursor. */
function nextPlace(
  { at, offered }: NumberedAnswer,
  reply: NumberedPages,
  lastWholeId: string | undefined,
): Place {
  const frozen = at.to === undefined ? {} : { to: at.to };
  if (at.flag === "page") {
    const number = Number(at.value) + 1;
    if (reply.handOverAfter === undefined || number <= reply.handOverAfter)
      return { flag: "page", value: String(number), ...frozen };
  }
  // Rows of one id may stand on both sides of the edge, so the walk goes on after the last id that is whole: the
  // rows that come again are dropped, and none is lost. Only where a page holds one id alone is the offer taken.
  const isAhead = lastWholeId !== undefined && !(at.flag === "cursor" && lastWholeId === at.value);
  const cursor = isAhead ? lastWholeId : offered;
  if (typeof cursor !== "string" || cursor === "" || (at.flag === "cursor" && cursor === at.value)) {
    throw untrustedAnswer("the history goes on, but the answers give no cursor that leads there");
  }
  return { flag: "cursor", value: cursor, ...frozen };
}

/**
 * Whether the list ends here by the page itself. Totals are believed when they promise more, so that a page which merely
 * repeats (new rows have pushed the old ones on) or is shorter than asked (the service caps it) is not taken for the end;
 * they are not believed when they promise nothing.
 */
function isEnd({ at, page, totals, offered }: NumberedAnswer, pageSize: number, isNew: boolean): boolean {
  if (page.rows.length === 0) return true;
  if (at.flag === "cursor") return !isNew || offered === undefined || offered === null || offered === "";
  if (totals.pages > Number(at.value)) return false;
  const limit = totals.limit > 0 ? totals.limit : Number.POSITIVE_INFINITY;
  return !isNew || page.rows.length < Math.min(pageSize, limit);
}
