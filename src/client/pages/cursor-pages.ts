import { rowShape } from "../../api/endpoint.ts";
import { member } from "../../base/json/json-scan.ts";
import type { Reply } from "../../api/reply.ts";
import { checkEcho, createOwnershipCheck, type Foreign, foreignFailure } from "../response/ownership.ts";
import type { Rows } from "../rows.ts";
import { createAnswerReader, createRowInspector, type InspectedRows } from "./page-rows.ts";
import {
  type Doubt,
  ended,
  more,
  type Page,
  type PageEnd,
  pageOf,
  type Position,
  type Reading,
  rejectedPosition,
  remark,
  doubtOf,
} from "../page.ts";
import { nextCursor, promisedCursor } from "./next-cursor.ts";
import type { Document } from "../document.ts";
import type { ListRequest } from "../list-plan.ts";
import { hashText, type TextHash } from "../../base/text/text-hash.ts";
import { yieldToSocket } from "../../base/concurrent.ts";
import { childOf } from "../../base/context/context.ts";
import { affectsOneInput, fail, Failure } from "../../base/failure.ts";

/**
 * Reads a search page by page (specification, Pagination styles 1): `next_cursor` is sent back as `cursor`, byte for
 * byte, and everything else stays the same. `page.ts` describes which pages are requested again.
 *
 * If more rows are wanted, the next page is requested as soon as its cursor is found, while the current page is still
 * being parsed and output. If the current page then turns out to be broken, that request is wasted. When no more rows
 * are wanted, pending requests are canceled.
 */
export async function* readCursorPages(
  request: ListRequest & Reading,
  reply: Extract<Reply, { kind: "cursor-pages" }>,
): AsyncGenerator<Page> {
  const { client, endpoint, args, list } = request;
  const read = createAnswerReader(reply.rows, rowShape(endpoint), request);
  const wanted = request.wanted ?? Number.POSITIVE_INFINITY;
  const wantedAhead = request.readsAhead ? wanted : 0;
  const cursors = createCursorMemory(request);
  const over = childOf(client.signal);
  const doubts: Doubt[] = [];
  const ask = (from: string | undefined): Promise<Document> => {
    const query = new Map([...args, ["limit", String(list.pageSize)]]);
    if (from !== undefined) query.set("cursor", from);
    const answer = client.ask(endpoint, query, over.signal).catch(throwRejection(from, request, doubts));
    // A failure is reported when its page is due, or never if no more rows are wanted.
    answer.catch(() => undefined);
    return answer;
  };
  const foreignIn = createOwnershipCheck(endpoint, args);
  const inspect = createRowInspector(request.seen);
  const open = (document: Document, from: string | undefined): SearchPage => {
    const { envelope, rows } = read(document);
    const echo = member(envelope, "query");
    const found = foreignIn?.(rows.distinct, echo);
    const foreign = list.isStrict || found?.only === undefined ? found : undefined;
    const warning = found === undefined ? checkEcho(endpoint, args, echo, list.isStrict) : found.problem;
    const next = foreign === undefined ? nextCursor(envelope) : undefined;
    const limit = member(echo, "limit");
    const echoed = member(echo, "cursor");
    const cursor = typeof echoed === "string" && echoed !== "" ? echoed : undefined;
    return { rows, inspected: inspect(rows), next, limit, from, cursor, foreign, warning };
  };
  const settle = createSearchJudge(request);
  let cursor = list.start?.value;
  /** Rows so far, without repeats. */
  let given = 0;
  let answer = ask(cursor);
  try {
    for (;;) {
      const document = await answer;
      const promised = given + list.pageSize < wantedAhead ? promisedCursor(document.bytes) : undefined;
      const early = promised !== undefined && !cursors.isSent(promised) ? promised : undefined;
      const from = cursor;
      if (early !== undefined) {
        answer = ask(early);
        await yieldToSocket();
      }
      const requestAgain = async (): Promise<SearchPage> => open(await ask(from), from);
      const first = open(document, from);
      const { page, verdict, isOpen } = await settle(first, wanted - given, cursors.isSent, requestAgain);
      const isEnd = verdict?.kind === "doubt at the end";
      if (isEnd || verdict?.kind === "doubt") doubts.push({ problem: verdict.problem, rows: undefined });
      cursor = isEnd ? undefined : (page.next ?? undefined);
      if (cursor !== undefined) cursors.add(cursor);
      given += page.inspected.fresh;
      const isAhead = cursor !== undefined && (cursor === early || given < wantedAhead);
      if (isAhead && cursor !== early) {
        answer = ask(cursor);
        await yieldToSocket();
      }
      const next = positionOf(cursor);
      const { rows, adds, notes } = page.inspected.take();
      const remarks = [
        ...remark("short", verdict?.kind === "short page" ? 1 : 0),
        ...remark("twins", page.inspected.twins),
      ];
      const last: PageEnd =
        page.next === null && !isEnd ? { kind: "cut", doubts } : ended("end of list", doubts);
      const end = next === undefined ? last : more(next, doubts, isOpen);
      const noted = pageOf(rows, end, [...notes, ...doubtOf(page.warning), ...remarks]);
      yield { ...noted, adds, at: positionOf(from) };
      if (cursor === undefined) return;
      if (!isAhead) answer = ask(cursor);
    }
  } finally {
    over.abort(noLongerWanted);
    over.release();
  }
}

/**
 * The cursors of the pages so far, without those that only a wrong page has named. A checkpoint has the keys of `seen`,
 * so this includes the cursors of an interrupted run.
 */
function createCursorMemory({ seen, list: { start } }: ListRequest & Reading) {
  const hash: TextHash = { high: 0, low: 0 };
  const hashOf = (cursor: string): TextHash => {
    hashText(`cursor ${cursor}`, hash);
    return hash;
  };
  const add = (cursor: string): boolean => seen.add(hashOf(cursor));
  if (start !== undefined) add(start.value);
  return { add, isSent: (cursor: string): boolean => seen.has(hashOf(cursor)) };
}

/** A rejected cursor is only a user's mistake if the user has typed it. */
function throwRejection(from: string | undefined, { list, after }: ListRequest & Reading, doubts: Doubt[]) {
  const isStart = from === list.start?.value;
  return (cause: unknown): never => {
    const isOfCursor = cause instanceof Failure && affectsOneInput(cause) && cause.param === "cursor";
    if (!isOfCursor || (isStart && after === undefined)) throw cause;
    if (!isStart) throw rejectedPosition(doubts, undefined, undefined);
    // It may have expired before the pull was resumed. Each further attempt would cost a credit.
    const problem = "the service no longer accepts the cursor at which the interrupted pull ended";
    const next = "start over with --force instead of --resume, or name another file";
    throw fail("checkpoint", problem, { next, isDamaged: true, why: cause.why, cause });
  };
}

/** A single shared error is enough, because its stack is never read. */
const noLongerWanted = new Error("no longer wanted");

function positionOf(cursor: string | undefined): Position | undefined {
  return cursor === undefined ? undefined : { flag: "cursor", value: cursor };
}

/** A response and what is unusual about it. */
interface SearchPage {
  readonly rows: Rows;
  readonly inspected: InspectedRows;
  /** The next cursor: undefined after the last page; null if a page is promised without a cursor. */
  readonly next: string | null | undefined;
  /** The limit that the response reports, if any. */
  readonly limit: unknown;
  /** The cursor that was requested, and the one that the response reports, if any. */
  readonly from: string | undefined;
  readonly cursor: string | undefined;
  /** A page that is about another network is never used. */
  readonly foreign: Foreign | undefined;
  readonly warning: string | undefined;
}

interface SearchVerdict {
  readonly problem: string;
  /** After a doubt at the end, no next page can be requested. Remarks are accepted once a second response confirms them. */
  readonly kind: "foreign" | "doubt" | "doubt at the end" | Remark;
}

type Remark = "short page" | "twin rows" | "other cursor";

function isRemark(verdict: SearchVerdict): verdict is SearchVerdict & { readonly kind: Remark } {
  return ["short page", "twin rows", "other cursor"].includes(verdict.kind);
}

/** Short pages are requested again until this many are confirmed. Then they are how the service pages this list. */
const confirmationsNeeded = 3;

const anotherPage = "the service returned the page of another cursor";

/** Returns a function that requests a page again while a verdict is open, and returns the page that is used. */
function createSearchJudge({ client, list: { pageSize, start } }: ListRequest) {
  let hasRows = start !== undefined;
  let confirmedShort = 0;
  /** Whether the service reports cursors as it was sent them. If it has another form for them, they show nothing. */
  let echo: Echo = "unknown";
  return async (
    first: SearchPage,
    wanted: number,
    isSent: (cursor: string) => boolean,
    requestAgain: () => Promise<SearchPage>,
  ): Promise<SettledPage> => {
    let page = first;
    const judge = (): SearchVerdict | undefined =>
      verdictOf(page, { pageSize, wanted, hasRows, echo, isSent });
    let verdict = judge();
    for (let repeats = 1; verdict !== undefined; repeats += 1) {
      const { problem, kind } = verdict;
      if (kind === "short page" && confirmedShort >= confirmationsNeeded) break;
      const mayBeNormal = isRemark(verdict);
      const { cursor } = page;
      const isLast = !(await client.again(repeats, problem));
      if (!isLast) {
        page = await requestAgain();
        verdict = judge();
      }
      // A second response with the same problem confirms a remark, but never a contradiction. Without retries, remarks are
      // accepted as well, except that of another page, whose rows may be other ones.
      const isSame = isLast
        ? repeats === 1 && kind !== "other cursor"
        : verdict?.problem === problem && page.cursor === cursor;
      const isConfirmed = mayBeNormal && isSame;
      if (isConfirmed && kind === "other cursor") {
        echo = "another form";
        verdict = judge();
      } else if (isConfirmed) break;
      else if (isLast) {
        if (mayBeNormal) verdict = { kind: "doubt", problem };
        break;
      }
    }
    if (page.foreign !== undefined) throw foreignFailure(page.foreign);
    hasRows ||= page.rows.length > 0;
    if (verdict?.kind === "short page") confirmedShort += 1;
    if (page.cursor === undefined || page.cursor !== page.from)
      return { page, verdict, isOpen: echo === "another form" };
    // An earlier page with another cursor was a wrong one after all.
    const isLate = echo === "another form" && (verdict === undefined || isRemark(verdict));
    echo = "verbatim";
    return { page, verdict: isLate ? { kind: "doubt", problem: anotherPage } : verdict, isOpen: false };
  };
}

interface SettledPage {
  readonly page: SearchPage;
  readonly verdict: SearchVerdict | undefined;
  /** A page of another cursor was accepted, and may turn out to be a wrong one. */
  readonly isOpen: boolean;
}

type Echo = "unknown" | "verbatim" | "another form";

interface SearchState {
  readonly pageSize: number;
  /** The number of rows still wanted. */
  readonly wanted: number;
  /** Whether an earlier page had rows. */
  readonly hasRows: boolean;
  readonly echo: Echo;
  readonly isSent: (cursor: string) => boolean;
}

/** Returns undefined if nothing about the page is unusual. */
function verdictOf(
  { rows, inspected, next, limit, from, cursor, foreign }: SearchPage,
  { pageSize, wanted, hasRows, echo, isSent }: SearchState,
): SearchVerdict | undefined {
  if (foreign !== undefined) return { kind: "foreign", problem: foreign.problem };
  if (cursor !== undefined && cursor !== from && echo !== "another form")
    return { kind: echo === "verbatim" ? "doubt" : "other cursor", problem: anotherPage };
  // If no more rows are wanted, the cursor is not needed.
  if (next === null && inspected.fresh < wanted)
    return {
      kind: "doubt at the end",
      problem: "the service promised a next page but sent no cursor for it",
    };
  if (typeof next === "string" && isSent(next))
    return { kind: "doubt at the end", problem: "the service repeated a cursor, so paging would never end" };
  if (rows.length === 0) {
    const isPromised = next !== undefined || hasRows;
    return isPromised
      ? { kind: "doubt", problem: "the service promised another page, but it is empty" }
      : undefined;
  }
  if (inspected.fresh === 0) return { kind: "doubt", problem: "a page repeats earlier rows" };
  const full = typeof limit === "number" && limit > 0 ? Math.min(limit, pageSize) : pageSize;
  if (next !== undefined && rows.length < full) {
    const problem = `a page has only ${rows.length} of ${full} rows, but another page follows`;
    return { kind: "short page", problem };
  }
  if (inspected.doubles > 0) return { kind: "twin rows", problem: "a page has the same row twice" };
  return undefined;
}
