import type { Args } from "../model/args.ts";
import { type Endpoint, onlyGroup, rowShape } from "../model/endpoint.ts";
import { untrustedAnswer } from "../model/failure.ts";
import type { Reply } from "../model/reply.ts";
import type { Client } from "./client.ts";
import type { Document } from "./document.ts";
import { checkEcho } from "./echo.ts";
import { member } from "../model/own-member.ts";
import type { Page } from "./page.ts";
import { readAnswer } from "./read-answer.ts";
import type { Place } from "./place.ts";
import type { Walk } from "./pages.ts";

/**
 * Specification, Pagination styles 1: `next_cursor` goes back as `cursor`, byte for byte, everything else unchanged.
 * A cursor that was seen before, or a next page promised without one, would loop and spend credits: both end it.
 * The next page is on its way while this one is shown, as long as more rows are wanted.
 */
export async function* walkCursorPages(
  client: Client,
  endpoint: Endpoint,
  reply: Extract<Reply, { kind: "cursor-pages" }>,
  args: Args,
  walk: Walk,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  const shape = rowShape(endpoint);
  const ask = (from: string | undefined): Promise<Document> => {
    if (from !== undefined) seen.add(from);
    const asked = new Map([...args, ["limit", String(walk.pageSize)]]);
    return client.ask(endpoint, from === undefined ? asked : asked.set("cursor", from));
  };
  let cursor = walk.start?.value;
  let given = 0;
  let answer = ask(cursor);
  for (;;) {
    const { envelope, rows } = readAnswer(await answer, reply.rows, shape);
    if (walk.isStrict) checkEcho(endpoint, args, member(envelope, "query"));
    const at = placeOf(cursor);
    cursor = nextCursor(envelope);
    given += rows.length;
    const isRepeated = cursor !== undefined && seen.has(cursor);
    const isAhead = cursor !== undefined && !isRepeated && given < (walk.wanted ?? Number.POSITIVE_INFINITY);
    if (isAhead) answer = ask(cursor);
    // It is looked at in its turn, or never, when nobody wants more.
    answer.catch(() => undefined);
    yield { group: onlyGroup, rows, next: placeOf(cursor), at };
    if (cursor === undefined) return;
    if (isRepeated)
      throw untrustedAnswer("the service sent a cursor for the second time, so the list would never end");
    if (!isAhead) answer = ask(cursor);
  }
}

function placeOf(cursor: string | undefined): Place | undefined {
  return cursor === undefined ? undefined : { flag: "cursor", value: cursor };
}

/** Undefined after the last page. `has_next_page` may be absent; then a cursor alone promises more. */
function nextCursor(answer: object): string | undefined {
  const [hasNextPage, cursor] = [member(answer, "has_next_page"), member(answer, "next_cursor")];
  if (hasNextPage !== undefined && hasNextPage !== null && typeof hasNextPage !== "boolean") {
    throw untrustedAnswer("has_next_page of the answer is neither true nor false");
  }
  if (hasNextPage === false) return undefined;
  if (typeof cursor === "string" && cursor !== "") {
    if (!isSendable(cursor))
      throw untrustedAnswer("next_cursor of the answer is no text that could be sent back");
    return cursor;
  }
  if (cursor !== undefined && cursor !== null && cursor !== "")
    throw untrustedAnswer("next_cursor of the answer is no text");
  if (hasNextPage === true)
    throw untrustedAnswer("the service promised a next page but sent no cursor for it");
  return undefined;
}

/** Half a surrogate pair has no bytes, and no host takes a URL of any length. */
function isSendable(cursor: string): boolean {
  return cursor.length <= longestCursor && !/\p{Surrogate}/u.test(cursor);
}

const longestCursor = 8192;
