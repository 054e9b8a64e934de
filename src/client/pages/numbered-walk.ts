import { type Endpoint, rowShape } from "../../model/endpoint.ts";
import { untrustedAnswer } from "../../model/failure.ts";
import type { Args } from "../../model/args.ts";
import type { Client } from "../client.ts";
import {
  type AskPage,
  createAskPage,
  isCounted,
  type NumberedAnswer,
  type NumberedPages,
} from "./numbered-answer.ts";
import type { Page } from "./page.ts";
import type { Walk } from "./pages.ts";
import type { Place } from "./place.ts";
import { createRowEdge, type RowEdge } from "./row-edge.ts";

/** How far a walk through numbered pages has come; what it asks next follows from this. */
export interface NumberedWalk {
  readonly edge: RowEdge;
  /** The page there; again, should it come as the rows of the page before although the list has not moved. */
  readonly ask: (at: Place) => Promise<NumberedAnswer>;
  /** Takes an answer as the next of the list: its page, and where the list goes on. `isAgain`: the edge lies in it. */
  readonly take: (answer: NumberedAnswer, isAgain?: boolean) => Page;
  /** The answer taken last. */
  readonly last: () => NumberedAnswer | undefined;
  /** Pages after that one which are both promised and wanted, at least one; Infinity where neither is known. */
  readonly pagesLeft: () => number;
  /** Whether all answers so far had totals to count on. */
  readonly isCounted: () => boolean;
}

/** Requests for a page that comes as the one before, until that is an error. */
const triesAPage = 3;

export function createNumberedWalk(
  client: Client,
  endpoint: Endpoint,
  reply: NumberedPages,
  args: Args,
  walk: Walk,
): NumberedWalk {
  const edge = createRowEdge(rowShape(endpoint));
  const askPage: AskPage = createAskPage(client, endpoint, reply, args, walk.isTyped);
  const wanted = walk.wanted ?? Number.POSITIVE_INFINITY;
  let { pageSize } = walk;
  let given = 0;
  let promised = Number.POSITIVE_INFINITY;
  let hasTotals = true;
  let last: NumberedAnswer | undefined;

  /** The page before once more, in the place of rows that the service counts. */
  const isRepeat = ({ at, page, totals }: NumberedAnswer): boolean =>
    last !== undefined &&
    at.flag === "page" &&
    last.at.flag === "page" &&
    Number(at.value) > Number(last.at.value) &&
    Number(at.value) <= totals.pages &&
    totals.items === last.totals.items &&
    page.rows.length > 0 &&
    !edge.bringsNew(page.rows.marks());

  const ask = async (at: Place): Promise<NumberedAnswer> => {
    let answer = await askPage(at, pageSize);
    for (let tries = 1; tries < triesAPage && isRepeat(answer); tries += 1)
      answer = await askPage(at, pageSize);
    if (!isRepeat(answer)) return answer;
    const before = await askPage({ ...at, value: String(Number(at.value) - 1) }, pageSize);
    // As many rows as came may have gone: then the page before holds others now.
    if (edge.bringsNew(before.page.rows.marks())) return answer;
    throw untrustedAnswer(
      `page ${at.value} brings the rows of the page before again, though the service counts ${answer.totals.items} rows`,
    );
  };

  const take = (answer: NumberedAnswer, isAgain = false): Page => {
    const { at, page, totals } = answer;
    const isNew = edge.bringsNew(page.rows.marks());
    given += page.rows.length - 1 - edge.find(page.rows.marks());
    edge.moveTo(page.rows.marks(), isAgain);
    last = answer;
    promised = at.flag === "page" ? totals.pages - Number(at.value) : promised - 1;
    if (at.flag === "page" && !isCounted(answer, pageSize)) hasTotals = false;
    const here = { ...page, at, items: totals.items, ...(isAgain && { isAgain }) };
    const isOneId = at.flag === "cursor" && (edge.lastWholeId() ?? at.value) === at.value;
    if (isOneId && page.rows.length >= pageSize && pageSize < reply.maxLimit) {
      // The events of one transaction fill the page, so no cursor leads beyond them: only a larger page does.
      pageSize = reply.maxLimit;
      hasTotals = false;
      return { ...here, next: at };
    }
    const isLast = isEnd(answer, pageSize, isNew);
    if (isLast) return { ...here, next: undefined };
    const next = nextPlace(answer, reply, edge.lastWholeId());
    return { ...here, next: Number.isSafeInteger(totals.items) ? { ...next, items: totals.items } : next };
  };

  return {
    edge,
    ask,
    take,
    last: () => last,
    pagesLeft: () => Math.min(promised, Math.max(1, Math.ceil((wanted - given) / pageSize))),
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
 * Whether nothing follows. Totals are believed when they promise more, so that a page which merely repeats (new rows
 * have pushed the old ones on) or is shorter than asked (the service caps it) is not taken for the end; they are not
 * believed when they promise nothing.
 */
function isEnd({ at, page, totals, offered }: NumberedAnswer, pageSize: number, isNew: boolean): boolean {
  if (page.rows.length === 0) return true;
  if (at.flag === "cursor") return !isNew || offered === undefined || offered === null || offered === "";
  if (totals.pages > Number(at.value)) return false;
  const limit = totals.limit > 0 ? totals.limit : Number.POSITIVE_INFINITY;
  return !isNew || page.rows.length < Math.min(pageSize, limit);
}
