import type { Args } from "../model/args.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { untrustedAnswer } from "../model/failure.ts";
import { rawMembers } from "../model/raw-json.ts";
import type { Reply } from "../model/reply.ts";
import type { Client } from "./client.ts";
import { checkEcho } from "./echo.ts";
import { isObject, member } from "../model/own-member.ts";
import { createPage, type Page } from "./page.ts";
import type { Walk } from "./pages.ts";

/**
 * Specification, Pagination styles 1: `next_cursor` goes back as `cursor`, byte for byte, everything else unchanged.
 * A cursor that was seen before, or a next page promised without one, would loop and spend credits: both end it.
 */
export async function* walkCursorPages(
  client: Client,
  endpoint: Endpoint,
  reply: Extract<Reply, { kind: "cursor-pages" }>,
  args: Args,
  walk: Walk,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let cursor = walk.cursor === "" ? undefined : walk.cursor;
  for (;;) {
    if (cursor !== undefined) seen.add(cursor);
    const asked = new Map([...args, ["limit", String(walk.pageSize)]]);
    const { text, value } = await client.ask(
      endpoint,
      cursor === undefined ? asked : asked.set("cursor", cursor),
    );
    if (!isObject(value)) throw untrustedAnswer("the answer is not an object");
    const at = cursor === undefined ? undefined : ({ flag: "cursor", value: cursor } as const);
    if (walk.isStrict) checkEcho(endpoint, args, member(value, "query"));
    cursor = nextCursor(value);
    const next = cursor === undefined ? undefined : ({ flag: "cursor", value: cursor } as const);
    yield {
      ...createPage(rawMembers(text).get(reply.rows), member(value, reply.rows), reply.rows, next),
      at,
    };
    if (cursor === undefined) return;
    if (seen.has(cursor))
      throw untrustedAnswer("the service sent a cursor for the second time, so the list would never end");
  }
}

/** Undefined after the last page. `has_next_page` may be absent; then a cursor alone promises more. */
function nextCursor(answer: object): string | undefined {
  const [hasNextPage, cursor] = [member(answer, "has_next_page"), member(answer, "next_cursor")];
  if (hasNextPage !== undefined && hasNextPage !== null && typeof hasNextPage !== "boolean") {
    throw untrustedAnswer("has_next_page of the answer is neither true nor false");
  }
  if (hasNextPage === false) return undefined;
  if (typeof cursor === "string" && cursor !== "") return cursor;
  if (cursor !== undefined && cursor !== null && cursor !== "")
    throw untrustedAnswer("next_cursor of the answer is no text");
  if (hasNextPage === true)
    throw untrustedAnswer("the service promised a next page but sent no cursor for it");
  return undefined;
}
