import { type Endpoint, rowShape } from "../../contract/endpoint.ts";
import { untrustedAnswer } from "../../contract/failure.ts";
import type { Instant } from "../../time/time.ts";
import type { Args } from "../../contract/args.ts";
import type { Client } from "../client.ts";
import { incompleteList } from "./completeness.ts";
import { createDistinctFilter, hasNewRow, isKnown } from "./distinct-pages.ts";
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
  /** Why this cannot be the next page of the list; undefined if it can. See completeness.ts. */
  readonly contradiction: (answer: NumberedAnswer) => string | undefined;
  /** Waits before a page is requested again because of a contradiction. Returns false after the last allowed retry. */
  readonly again: (problem: string, answer: NumberedAnswer) => Promise<boolean>;
  /** The last response that was requested again; undefined if none was since the last new row. */
  readonly contradicted: () => NumberedAnswer | undefined;
  /** Whether all allowed retries were used since the last new row, so that only another URL can help. */
  readonly isInVain: () => boolean;
  /**
   * Returns the rows of a page that still contradicts the count, because they are paid for, and ends the walk with a failure.
   * With `--no-strict`, it only notes the problem, and the page is accepted.
   */
  readonly refuse: (problem: string, answer: NumberedAnswer) => Generator<Page, void>;
  /** Takes an answer as the next of the list: its page, and where the list goes on. `isAgain`: the edge lies in it. */
  readonly take: (answer: NumberedAnswer, isAgain?: boolean) => Page;
  /** Rows may have moved past the walk, so the count no longer proves that the list is complete. */
  readonly doubt: () => void;
  /**
   * Accepts a property that the page keeps after all retries, if the service may always send it: short pages by cursor, or
   * its own page numbers. Later pages are not checked for it; at the end, the count shows whether rows are missing. Returns
   * false for any other problem.
   */
  readonly believe: (answer: NumberedAnswer) => boolean;
  /** Turns the page into the last one of a list without proof, with a warning if the list contradicts its count. */
  readonly withoutProof: (page: Page) => Page;
  /** Requests the count again. Returns the number of rows that it includes and that no page returned. */
  readonly missing: () => Promise<number>;
  /** Whether the first row of the page was taken before, so that there is no gap in front of this page. */
  readonly hasTaken: (answer: NumberedAnswer) => boolean;
  /** After the last page: fails if the pages had fewer rows than the service counted at the beginning. */
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
  const askPage: AskPage = createAskPage(client, endpoint, reply, args);
  const { filter, listed } = createDistinctFilter(seen);
  const wanted = walk.wanted ?? Number.POSITIVE_INFINITY;
  let { pageSize } = walk;
  const count = createListCount(() => pageSize, start);
  let repeats = 0;
  let contradicted: NumberedAnswer | undefined;
  let isDoubted = false;
  /** The response that is taken although it contradicts the count. */
  let pardoned: NumberedAnswer | undefined;
  let [believesNumbers, believesLengths] = [true, true];
  /** How an accepted list contradicts its count. */
  let accepted: string | undefined;
  let last: NumberedAnswer | undefined;
  let newest: Instant | undefined;

  /** A page before the one where the walk begins was read by an earlier run. */
  const isReadAgain = ({ flag, value, to }: Place): boolean =>
    start?.flag === "page" && flag === "page" && to === start.to && Number(value) < Number(start.value);

  const take = (answer: NumberedAnswer, isAgain = false): Page => {
    const { at, page, totals } = answer;
    const marks = page.rows.marks();
    newest ??= edge.instantOf(marks[0]);
    const before = listed();
    const distinct = filter(page.rows);
    count.take(answer, listed() - before);
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
      const isProved = left === 0 && accepted === undefined && !isDoubted;
      return isProved ? { ...here, next: undefined, proof: "count" } : withoutProof(here);
    }
    const due = count.due(listed());
    const next = nextPlace(answer, reply, edge.lastWholeId());
    return { ...here, next: { ...next, ...(due !== undefined && { due }), ...itemsOf(totals) } };
  };

  const withoutProof = (page: Page): Page => {
    const warning = accepted === undefined ? undefined : `the list may be incomplete: ${accepted}`;
    return { ...page, next: undefined, proof: "end of list", warning };
  };

  return {
    edge,
    count,
    ask: async (at) => await askPage(at, pageSize),
    contradiction: (answer) => {
      if (answer === pardoned) return undefined;
      if (answer.at.flag === "cursor") return believesLengths ? count.shortPage(answer) : undefined;
      if (believesNumbers && isAnother(answer))
        return `page ${answer.at.value} was returned as page ${answer.totals.page}`;
      const { rows } = answer.page;
      const hasNew = isReadAgain(answer.at) || hasNewRow(rows, seen);
      return count.contradiction(answer, { hasNew, holdsEdge: !hasNew && edge.find(rows.marks()) >= 0 });
    },
    again: async (problem, answer) => {
      contradicted = answer;
      repeats += 1;
      return await client.again(repeats, problem);
    },
    contradicted: () => (repeats > 0 ? contradicted : undefined),
    isInVain: () => repeats > 0 && repeats === client.mostRepeats,
    *refuse(problem, answer) {
      const { at, totals } = answer;
      pardoned = answer;
      if (!walk.isStrict || count.hasBeenLess(answer)) accepted = problem;
      if (accepted !== undefined) {
        repeats = 0;
        return;
      }
      // Some rows of this page were taken, so the number of rows still due is unknown.
      const place = { flag: at.flag, value: at.value, ...(at.to !== undefined && { to: at.to }) };
      const page = { ...take(answer), next: { ...place, ...itemsOf(totals) } };
      if (page.rows.length > 0) yield page;
      const promised = totals.items - listed();
      const rows = count.left() ?? (Number.isSafeInteger(promised) ? Math.max(0, promised) : undefined);
      throw incompleteList(problem, rows, edge.instantOf(edge.last()));
    },
    take,
    doubt: () => {
      isDoubted = true;
    },
    believe: ({ at, ...answer }) => {
      if (at.flag === "cursor") {
        believesLengths = false;
        return true;
      }
      if (!believesNumbers || !isAnother({ at, ...answer })) return false;
      believesNumbers = false;
      isDoubted = true;
      return true;
    },
    withoutProof,
    missing: async () => {
      const { to, items } = count.window();
      const { totals } = await askPage({ flag: "page", value: "1", to }, pageSize);
      const withdrawn = Math.max(0, (items ?? 0) - totals.items);
      return Math.max(0, (count.left() ?? 0) - withdrawn);
    },
    hasTaken: ({ page }) => isKnown(page.rows, 0, seen),
    confirm: () => {
      const problem = accepted === undefined ? count.shortfall(listed()) : undefined;
      if (problem !== undefined) throw incompleteList(problem, count.due(listed()), newest);
    },
    last: () => last,
    pagesLeft: () => Math.min(count.pagesLeft(), Math.max(1, Math.ceil((wanted - listed()) / pageSize))),
    pageSize: () => pageSize,
  };
}

/**
 * Whether the response has the number of another page. The public service has returned 0 for every page, and its
 * documentation counts from 0. The page before this one needs no check: its rows are repeats.
 */
function isAnother({ at, totals: { page } }: NumberedAnswer): boolean {
  const number = Number(at.value);
  return Number.isInteger(page) && page > 0 && page !== number && page !== number - 1;
}

/** The service's count of rows, as the place stores it. */
function itemsOf({ items }: NumberedAnswer["totals"]): Pick<Place, "items"> {
  return Number.isSafeInteger(items) ? { items } : {};
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
