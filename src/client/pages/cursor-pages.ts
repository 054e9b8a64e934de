import { childOf } from "../../context/child-signal.ts";
import { onlyGroup, rowShape } from "../../contract/endpoint.ts";
import { invalidResponse } from "../../contract/failure.ts";
import { member } from "../../json/raw-json.ts";
import type { Reply } from "../../contract/reply.ts";
import type { Document } from "../response/answer-body.ts";
import { checkEcho } from "../response/echo.ts";
import { yieldToSocket } from "./in-order.ts";
import type { Rows } from "../rows/rows.ts";
import { createDistinctFilter, hasNewRow } from "./distinct-pages.ts";
import { nextCursor, promisedCursor } from "./next-cursor.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { type AskingForList, type Page, type Place } from "./page.ts";

/**
 * Reads a search page by page (specification, Pagination styles 1): `next_cursor` is sent back as `cursor`, byte for
 * byte, and everything else stays the same. If the service repeated a cursor, or promised a next page without a cursor,
 * paging would never end and would keep spending credits. In both cases, the page is requested again (see
 * completeness.ts), and then the pull fails.
 *
 * If more rows are wanted, the next page is requested as soon as its cursor is found, while the current page is still
 * being parsed and output. If the current page then turns out to be broken, that request is wasted. When no more rows
 * are wanted, pending requests are canceled.
 */
export async function* walkCursorPages(
  asking: AskingForList,
  reply: Extract<Reply, { kind: "cursor-pages" }>,
): AsyncGenerator<Page> {
  const { client, endpoint, args, walk } = asking;
  const read = createAnswerReader(reply.rows, rowShape(endpoint), walk);
  const wanted = walk.wanted ?? Number.POSITIVE_INFINITY;
  const sent = new Set<string>();
  const over = childOf(client.signal);
  const ask = (from: string | undefined): Promise<Document> => {
    const query = new Map([...args, ["limit", String(walk.pageSize)]]);
    if (from !== undefined) {
      sent.add(from);
      query.set("cursor", from);
    }
    const answer = client.ask(endpoint, query, over.signal);
    // A failure is reported when its page is due, or never if no more rows are wanted.
    answer.catch(() => undefined);
    return answer;
  };
  const open = (document: Document): CursorPage => {
    const { envelope, rows } = read(document);
    const echo = member(envelope, "query");
    const warning = checkEcho(endpoint, args, echo, walk.isStrict);
    return { rows, next: nextCursor(envelope), limit: member(echo, "limit"), warning };
  };
  const settle = createDoubts(asking);
  const { filter } = createDistinctFilter(walk.seen);
  const pageOf = (rows: Rows, at: Place | undefined, next: Place | undefined): Page => ({
    ...filter(rows),
    group: onlyGroup,
    next,
    at,
  });
  let cursor = walk.start?.value;
  let given = 0;
  let answer = ask(cursor);
  try {
    for (;;) {
      const document = await answer;
      const promised = given + walk.pageSize < wanted ? promisedCursor(document.bytes) : undefined;
      const early = promised !== undefined && !sent.has(promised) ? promised : undefined;
      const from = cursor;
      if (early !== undefined) {
        answer = ask(early);
        await yieldToSocket();
      }
      const isSent = (next: string): boolean => next !== early && sent.has(next);
      const { page, problem } = await settle(open(document), isSent, async () => open(await ask(from)));
      const at = placeOf(from);
      if (problem !== undefined || page.next === null) {
        // These rows are already paid for, so they are returned before the failure.
        const rest = pageOf(page.rows, at, at);
        if (rest.rows.length > 0) yield rest;
        throw invalidResponse(problem ?? "");
      }
      cursor = page.next;
      given += page.rows.length;
      const isAhead = cursor !== undefined && (cursor === early || given < wanted);
      if (isAhead && cursor !== early) {
        answer = ask(cursor);
        await yieldToSocket();
      }
      const shown = { ...pageOf(page.rows, at, placeOf(cursor)), warning: page.warning };
      yield cursor === undefined ? { ...shown, proof: "end of list" } : shown;
      if (cursor === undefined) return;
      if (!isAhead) answer = ask(cursor);
    }
  } finally {
    over.abort(noLongerWanted);
    over.release();
  }
}

/** A single shared error is enough, because its stack is never read. */
const noLongerWanted = new Error("no longer wanted");

function placeOf(cursor: string | undefined): Place | undefined {
  return cursor === undefined ? undefined : { flag: "cursor", value: cursor };
}

interface CursorPage {
  readonly rows: Rows;
  /** See `nextCursor`. */
  readonly next: string | null | undefined;
  /** The limit that the response reports, if any. */
  readonly limit: unknown;
  readonly warning: string | undefined;
}

/** A possible problem with a page. */
interface Doubt {
  readonly problem: string;
  /** If false, the response may be intentional. */
  readonly isFinal?: boolean;
  readonly isShort?: boolean;
}

const noCursor = { problem: "the service promised a next page but sent no cursor for it", isFinal: true };
const repeatedCursor = { problem: "the service repeated a cursor, so paging would never end", isFinal: true };
const repeatedRows = { problem: "a page repeats earlier rows" };
const emptyEnd = { problem: "the service promised another page, but it is empty" };

/**
 * Returns a function that checks a page by requesting it again. A search has no total count, so a page is accepted if
 * the retry returns the same page, unless no page can follow it. `isSent` checks whether a cursor was sent before.
 * `problem` is why the pull has to end after this page.
 */
function createDoubts({ client, walk }: AskingForList) {
  const { pageSize, seen, start } = walk;
  let hasRows = start !== undefined;
  /** The fewest rows allowed before a next page: 1 once a retry confirms a short page, 0 if that page is empty. */
  let fewest = Number.POSITIVE_INFINITY;

  const doubtAbout = (page: CursorPage, isSent: (cursor: string) => boolean): Doubt | undefined => {
    const { rows, next, limit } = page;
    if (next === null) return noCursor;
    if (next !== undefined && isSent(next)) return repeatedCursor;
    if (rows.length > 0 && !hasNewRow(rows, seen)) return repeatedRows;
    const full = typeof limit === "number" && limit > 0 ? Math.min(limit, pageSize) : pageSize;
    if (next !== undefined && rows.length < Math.min(full, fewest)) {
      const problem = `a page has only ${rows.length} of ${full} rows, but another page follows`;
      return { problem, isShort: true };
    }
    return next === undefined && rows.length === 0 && hasRows ? emptyEnd : undefined;
  };

  return async (
    first: CursorPage,
    isSent: (cursor: string) => boolean,
    requestAgain: () => Promise<CursorPage>,
  ): Promise<{ readonly page: CursorPage; readonly problem?: string }> => {
    let page = first;
    for (let repeats = 1; ; repeats += 1) {
      const doubt = doubtAbout(page, isSent);
      if (doubt === undefined) break;
      const { problem, isFinal = false, isShort = false } = doubt;
      if (!(await client.again(repeats, problem))) {
        if (isFinal) return { page, problem };
        break;
      }
      const again = await requestAgain();
      const isSame = doubtAbout(again, isSent)?.problem === problem && again.rows.length === page.rows.length;
      if (isSame && !isFinal) {
        if (isShort) fewest = Math.min(fewest, page.rows.length, 1);
        break;
      }
      page = again;
    }
    hasRows ||= page.rows.length > 0;
    return { page };
  };
}
