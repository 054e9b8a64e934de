import { untrustedAnswer } from "../../contract/failure.ts";
import { member } from "../../json/raw-json.ts";

/**
 * Undefined after the last page; null if another page is promised without a cursor. `has_next_page` may be absent; then a
 * cursor alone promises more.
 */
export function nextCursor(answer: object): string | null | undefined {
  const [hasNextPage, cursor] = [member(answer, "has_next_page"), member(answer, "next_cursor")];
  if (hasNextPage !== undefined && hasNextPage !== null && typeof hasNextPage !== "boolean") {
    throw untrustedAnswer("invalid response: has_next_page is not true or false");
  }
  if (hasNextPage === false) return undefined;
  if (typeof cursor === "string" && cursor !== "") {
    if (!isSendable(cursor))
      throw untrustedAnswer("invalid response: next_cursor is too long or not valid Unicode");
    return cursor;
  }
  if (cursor !== undefined && cursor !== null && cursor !== "")
    throw untrustedAnswer("invalid response: next_cursor is not a string");
  return hasNextPage === true ? null : undefined;
}

/**
 * The cursor after the rows, found before the rows are read; undefined if it does not certainly promise another page. If the
 * text after a `]` and a comma up to the very end is JSON once a `{` is put before it, it closes one object more than it
 * opens, so it can only be members of the outermost one. It cannot begin inside a string, because then each quote after it
 * would have the other meaning, and the last one would open a string without an end.
 */
export function promisedCursor(body: Uint8Array): string | undefined {
  const tail = Buffer.from(body.buffer, body.byteOffset, body.length).subarray(-longestTail);
  const first = Math.min(tail.lastIndexOf('"has_next_page"'), tail.lastIndexOf('"next_cursor"'));
  const close = first < 0 ? -1 : tail.lastIndexOf("]", first);
  if (close === -1) return undefined;
  const [, members] = /^\]\s*,(.*)$/su.exec(tail.toString("utf8", close)) ?? [];
  if (members === undefined) return undefined;
  try {
    const envelope: unknown = JSON.parse(`{${members}`);
    const cursor = member(envelope, "next_cursor");
    const isPromised = member(envelope, "has_next_page") === true && typeof cursor === "string";
    return isPromised && cursor !== "" && isSendable(cursor) ? cursor : undefined;
  } catch {
    return undefined;
  }
}

/** Half a surrogate pair has no bytes, and no host takes a URL of any length. */
function isSendable(cursor: string): boolean {
  return cursor.length <= longestCursor && cursor.isWellFormed();
}

const longestCursor = 8192;
/** Enough for such a cursor and for the request that the service echoes. */
const longestTail = 2 * longestCursor;
