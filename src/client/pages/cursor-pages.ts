import type { Args } from "../../contract/args.ts";
import { childOf } from "../../context/child-signal.ts";
import { type Endpoint, onlyGroup, rowShape } from "../../contract/endpoint.ts";
import { untrustedAnswer } from "../../contract/failure.ts";
import { member } from "../../json/own-member.ts";
import type { Reply } from "../../contract/reply.ts";
import type { Document } from "../answer/document.ts";
import { checkEcho } from "../answer/echo.ts";
import { createAnswerReader } from "../answer/read-answer.ts";
import type { Client } from "../client.ts";
import { letLeave } from "../connection/let-leave.ts";
import type { Rows } from "../rows/rows.ts";
import { createDistinctFilter } from "./distinct-pages.ts";
import { createDoubts, type CursorPage } from "./cursor-doubts.ts";
import { nextCursor, promisedCursor } from "./next-cursor.ts";
import type { Page } from "./page.ts";
import type { ListWalk } from "./pages.ts";
import type { Place } from "./place.ts";

/**
 * Specification, Pagination styles 1: `next_cursor` goes back as `cursor`, byte for byte, everything else unchanged.
 * A cursor that was seen before, or a next page promised without one, would loop and spend credits: both end the walk,
 * once the page has been requested again (see completeness.ts).
 *
 * The next page is on its way while this one is read and shown, as long as more rows are wanted: it is asked for as soon
 * as its cursor is seen. Where this page then turns out to be broken, that was one request more than needed. Whatever is
 * under way when nobody wants more is given up.
 */
export async function* walkCursorPages(
  client: Client,
  endpoint: Endpoint,
  reply: Extract<Reply, { kind: "cursor-pages" }>,
  args: Args,
  walk: ListWalk,
): AsyncGenerator<Page> {
  const read = createAnswerReader(reply.rows, rowShape(endpoint));
  const wanted = walk.wanted ?? Number.POSITIVE_INFINITY;
  const sent = new Set<string>();
  const over = childOf(client.signal);
  const ask = (from: string | undefined): Promise<Document> => {
    if (from !== undefined) sent.add(from);
    const asked = new Map([...args, ["limit", String(walk.pageSize)]]);
    const answer = client.ask(endpoint, from === undefined ? asked : asked.set("cursor", from), over.signal);
    // It is looked at in its turn, or never, when nobody wants more.
    answer.catch(() => undefined);
    return answer;
  };
  const open = (document: Document): CursorPage => {
    const { envelope, rows } = read(document);
    const echo = member(envelope, "query");
    const warning = checkEcho(endpoint, args, echo, walk.isStrict);
    return { rows, next: nextCursor(envelope), limit: member(echo, "limit"), warning };
  };
  const settle = createDoubts(client, walk);
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
        await letLeave();
      }
      const isSent = (next: string): boolean => next !== early && sent.has(next);
      const { page, problem } = await settle(open(document), isSent, async () => open(await ask(from)));
      const at = placeOf(from);
      if (problem !== undefined || page.next === null) {
        // Its rows are paid for.
        const rest = pageOf(page.rows, at, at);
        if (rest.rows.length > 0) yield rest;
        throw untrustedAnswer(problem ?? "");
      }
      cursor = page.next;
      given += page.rows.length;
      const isAhead = cursor !== undefined && (cursor === early || given < wanted);
      if (isAhead && cursor !== early) {
        answer = ask(cursor);
        await letLeave();
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

/** Made once: nobody reads its stack. */
const noLongerWanted = new Error("no longer wanted");

function placeOf(cursor: string | undefined): Place | undefined {
  return cursor === undefined ? undefined : { flag: "cursor", value: cursor };
}
