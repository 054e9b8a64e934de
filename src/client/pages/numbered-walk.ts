import { type Endpoint, rowShape } from "../../model/endpoint.ts";
import { untrustedAnswer } from "../../model/failure.ts";
import { formatInstant } from "../../model/time/time.ts";
import type { Args } from "../../model/args.ts";
import type { Client } from "../client.ts";
import { incompleteList } from "./completeness.ts";
import { hasNewRow } from "./distinct-pages.ts";
import {
  type AskPage,
  countedRows,
  createAskPage,
  type NumberedAnswer,
  type NumberedPages,
} from "./numbered-answer.ts";
import type { Page } from "./page.ts";
import type { ListWalk } from "./pages.ts";
import type { Place } from "./place.ts";
import { createRowEdge, type RowEdge } from "./row-edge.ts";

/** How far a walk through numbered pages has come; what it asks next follows from this. */
export interface NumberedWalk {
  readonly edge: RowEdge;
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
  /** The answer taken last. */
  readonly last: () => NumberedAnswer | undefined;
  /** Pages after that one which are both promised and wanted, at least one; Infinity where neither is known. */
  readonly pagesLeft: () => number;
  /** Rows after the last one taken, by the service's count; undefined where that cannot be used. */
  readonly left: () => number | undefined;
  /** Rows a request asks for. */
  readonly pageSize: () => number;
  /** Whether all answers so far had totals to count on. */
  readonly isCounted: () => boolean;
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
  const wanted = walk.wanted ?? Number.POSITIVE_INFINITY;
  let { pageSize } = walk;
  let given = 0;
  let promised = Number.POSITIVE_INFINITY;
  let hasTotals = true;
  let [isAccepted, repeats] = [false, 0];
  let left: number | undefined;
  let last: NumberedAnswer | undefined;
  let items = start?.items;
  /** The smallest count of the window that is being read. */
  let leastItems = Number.POSITIVE_INFINITY;

  /** A page before the one where the walk begins was read by an earlier run. */
  const isReadAgain = (at: Place): boolean =>
    start?.flag === "page" && at.flag === "page" && Number(at.value) < Number(start.value);

  const contradiction = (answer: NumberedAnswer): string | undefined => {
    const { at, page, totals } = answer;
    if (at.flag !== "page" || isAccepted) return undefined;
    const counted = countedRows(answer, pageSize);
    // Totals that cannot be used do not take back what was counted before.
    const due = counted ?? Math.min(pageSize, left ?? 0);
    if (page.rows.length < due) return `page ${at.value} has ${page.rows.length} of ${due} rows`;
    if (page.rows.length === 0 || isReadAgain(at) || hasNewRow(page.rows, seen)) return undefined;
    const isPromised = (counted ?? left ?? 0) > 0 || totals.pages > Number(at.value);
    // Rows that came in before the last one push known rows on into this page; that one is among them then.
    const isPushedOn = totals.items !== items && edge.find(page.rows.marks()) >= 0;
    return isPromised && !isPushedOn ? `page ${at.value} repeats earlier rows` : undefined;
  };

  const countLeft = ({ at, page, totals }: NumberedAnswer, isWhole: boolean): void => {
    if (at.flag === "page") {
      const before = (Number(at.value) - 1) * pageSize;
      left = isWhole ? Math.max(0, totals.items - before - page.rows.length) : undefined;
      promised = totals.pages - Number(at.value);
      items = totals.items;
      if (last?.at.to !== at.to) leastItems = Number.POSITIVE_INFINITY;
      if (isWhole) leastItems = Math.min(leastItems, items);
      if (!isWhole) hasTotals = false;
      return;
    }
    promised -= 1;
    const fresh = page.rows.length - 1 - edge.find(page.rows.marks());
    // More rows than were counted: the count was wrong.
    left = left === undefined || left < fresh ? undefined : left - fresh;
  };

  const take = (answer: NumberedAnswer, isAgain = false): Page => {
    const { at, page, totals } = answer;
    const marks = page.rows.marks();
    const isNew = hasNewRow(page.rows, seen);
    countLeft(answer, countedRows(answer, pageSize) !== undefined);
    // A page without a new row moves nothing: the walk is where it was.
    if (isNew) {
      given += marks.length - 1 - edge.find(marks);
      edge.moveTo(marks, isAgain);
      repeats = 0;
    }
    last = answer;
    const here = { ...page, at, left, ...((isAgain || isReadAgain(at)) && { isAgain: true }) };
    const isOneId = at.flag === "cursor" && (edge.lastWholeId() ?? at.value) === at.value;
    if (isOneId && page.rows.length >= pageSize && pageSize < reply.maxLimit) {
      // The events of one transaction fill the page, so no cursor leads beyond them: only a larger page does.
      pageSize = reply.maxLimit;
      hasTotals = false;
      return { ...here, next: at };
    }
    if (isEnd(answer, pageSize, isNew))
      return { ...here, next: undefined, proof: left === 0 ? "count" : "end of list" };
    const next = nextPlace(answer, reply, edge.lastWholeId());
    return { ...here, next: Number.isSafeInteger(totals.items) ? { ...next, items: totals.items } : next };
  };

  return {
    edge,
    ask: async (at) => await askPage(at, pageSize),
    contradiction,
    again: async (problem) => {
      repeats += 1;
      return await client.again(repeats, problem);
    },
    repeats: () => repeats,
    *refuse(problem, answer) {
      const { at, page } = answer;
      const reached = at.flag === "page" ? (Number(at.value) - 1) * pageSize + page.rows.length : 0;
      // A count that has been smaller than this moves by itself, and says nothing of single rows.
      isAccepted = !walk.isStrict || reached >= leastItems;
      if (isAccepted) return;
      yield { ...take(answer), next: at };
      const instant = edge.instantOf(edge.last());
      throw incompleteList(problem, {
        rows: left ?? (Number.isSafeInteger(items) ? Math.max(0, (items ?? 0) - given) : undefined),
        to: instant === undefined ? undefined : formatInstant(instant),
      });
    },
    take,
    last: () => last,
    pagesLeft: () => Math.min(promised, Math.max(1, Math.ceil((wanted - given) / pageSize))),
    left: () => left,
    pageSize: () => pageSize,
    isCounted: () => hasTotals,
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
