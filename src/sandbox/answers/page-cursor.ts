import { invalidParam } from "../refusal.ts";

/**
 * Where a search goes on: the instant of its first page, so that a moving market still gives each row once, and the
 * number of rows already given. Opaque to clients.
 */
export interface PageCursor {
  readonly at: number;
  readonly offset: number;
}

export function writeCursor({ at, offset }: PageCursor): string {
  return Buffer.from(JSON.stringify({ t: at, o: offset })).toString("base64url");
}

/** `now`: unix seconds. A cursor of the future would show trades that have not happened. */
export function readCursor(text: string, now: number): PageCursor {
  const cursor = decode(text);
  if (cursor === undefined || cursor.at > now || writeCursor(cursor) !== text) {
    throw invalidParam("cursor", "must be the next_cursor of the page before");
  }
  return cursor;
}

function decode(text: string): PageCursor | undefined {
  const match = /^\{"t":(\d{1,11}),"o":(\d{1,9})\}$/.exec(Buffer.from(text, "base64url").toString("latin1"));
  return match === null ? undefined : { at: Number(match[1]), offset: Number(match[2]) };
}
