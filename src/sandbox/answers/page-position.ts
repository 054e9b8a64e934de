import type { JsonObject } from "../wire/json-writer.ts";
import type { Query } from "../wire/query.ts";
import { invalidParam } from "../wire/service-refusal.ts";

interface NumberedPage {
  readonly page: number;
  readonly limit: number;
}

/** Specification, Pagination styles 2: page 0 is served as page 1, and the default is 10 rows. */
export function readPage(query: Query): NumberedPage {
  const page = query.integer("page", 0, 1000) ?? 1;
  return { page: Math.max(1, page), limit: query.integer("limit", 1, 100) ?? 10 };
}

export function pageInfo({ page, limit }: NumberedPage, total: number): JsonObject {
  return { limit, page, total_items: total, total_pages: Math.ceil(total / limit) };
}

/** With a fixed time, each row appears only once even though the market moves. Cursors are opaque to clients. */
interface PageCursor {
  readonly at: number;
  readonly offset: number;
}

export function writeCursor({ at, offset }: PageCursor): string {
  return Buffer.from(JSON.stringify({ t: at, o: offset })).toString("base64url");
}

/** Rejects a cursor from the future, which would reveal trades that have yet to happen. `now` is in Unix seconds. */
export function readCursor(text: string, now: number): PageCursor {
  const match = /^\{"t":(\d{1,11}),"o":(\d{1,9})\}$/.exec(Buffer.from(text, "base64url").toString("latin1"));
  const cursor = { at: Number(match?.[1]), offset: Number(match?.[2]) };
  if (match === null || cursor.at > now || writeCursor(cursor) !== text) {
    throw invalidParam("cursor", "must be the next_cursor of the previous page");
  }
  return cursor;
}
