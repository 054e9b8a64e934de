import type { Args } from "../../model/args.ts";
import { childOf } from "../../model/child-signal.ts";
import { type Endpoint, onlyGroup, rowShape } from "../../model/endpoint.ts";
import { untrustedAnswer } from "../../model/failure.ts";
import type { Reply } from "../../model/reply.ts";
import type { Client } from "../client.ts";
import type { Document } from "../answer/document.ts";
import { checkEcho } from "../answer/echo.ts";
import { letLeave } from "../connection/let-leave.ts";
import { member } from "../../model/json/own-member.ts";
import { nextCursor, promisedCursor } from "./next-cursor.ts";
import type { Page } from "./page.ts";
import { createAnswerReader } from "../answer/read-answer.ts";
import type { Place } from "./place.ts";
import type { Walk } from "./pages.ts";

/**
 * Specification, Pagination styles 1: `next_cursor` goes back as `cursor`, byte for byte, everything else unchanged.
 * A cursor that was seen before, or a next page promised without one, would loop and spend credits: both end it.
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
  walk: Walk,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  const read = createAnswerReader(reply.rows, rowShape(endpoint), walk.isTyped);
  const wanted = walk.wanted ?? Number.POSITIVE_INFINITY;
  const over = childOf(client.signal);
  const ask = (from: string | undefined): Promise<Document> => {
    if (from !== undefined) seen.add(from);
    const asked = new Map([...args, ["limit", String(walk.pageSize)]]);
    const answer = client.ask(endpoint, from === undefined ? asked : asked.set("cursor", from), over.signal);
    // It is looked at in its turn, or never, when nobody wants more.
    answer.catch(() => undefined);
    return answer;
  };
  let cursor = walk.start?.value;
  let given = 0;
  let answer = ask(cursor);
  try {
    for (;;) {
      const document = await answer;
      const at = placeOf(cursor);
      const promised = given + walk.pageSize < wanted ? promisedCursor(document.bytes) : undefined;
      const isEarly = promised !== undefined && !seen.has(promised);
      if (isEarly) {
        answer = ask(promised);
        await letLeave();
      }
      const { envelope, rows } = read(document);
      if (walk.isStrict) checkEcho(endpoint, args, member(envelope, "query"));
      cursor = nextCursor(envelope);
      given += rows.length;
      const isRepeated = !isEarly && cursor !== undefined && seen.has(cursor);
      const isAhead = isEarly || (cursor !== undefined && !isRepeated && given < wanted);
      if (isAhead && !isEarly) {
        answer = ask(cursor);
        await letLeave();
      }
      yield { group: onlyGroup, rows, next: placeOf(cursor), at };
      if (cursor === undefined) return;
      if (isRepeated)
        throw untrustedAnswer("the service sent a cursor for the second time, so the list would never end");
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
