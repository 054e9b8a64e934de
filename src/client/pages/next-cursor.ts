import { untrustedAnswer } from "../../contract/failure.ts";
import { member } from "../../json/own-member.ts";

/**
 * Undefined after the last page; null where another page is promised and no cursor leads to it. `has_next_page` may be
 * absent; then a cursor alone promises more.
 */
export function nextCursor(answer: object): string | null | undefined {
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
  return hasNextPage === true ? null : undefined;
}

/**
 * The cursor as it stands after the rows, before anybody has read these; undefined where it is not sure from there that
 * another page is promised. What follows a `]` and a comma to the very end, and with a `{` before it is JSON, closes one
 * object more than it opens: so it can only be members of the outermost one. Inside a string it cannot begin, as each
 * quote after it would then have the other meaning, and the last one open a string without an end.
 */
export function promisedCursor(body: Uint8Array): string | undefined {
  const tail = Buffer.from(body.buffer, body.byteOffset, body.length).subarray(-longestTail);
  const first = Math.min(tail.lastIndexOf('"has_next_page"'), tail.lastIndexOf('"next_cursor"'));
  const close = first < 0 ? -1 : tail.lastIndexOf("]", first);
  if (close === -1) return undefined;
  const [, members] = /^\]\s*,(.*)$/su.exec(tail.toString("utf8", close)) ?? [];
  const envelope = members === undefined ? undefined : parsed(`{${members}`);
  if (member(envelope, "has_next_page") !== true) return undefined;
  const cursor = member(envelope, "next_cursor");
  return typeof cursor === "string" && cursor !== "" && isSendable(cursor) ? cursor : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Half a surrogate pair has no bytes, and no host takes a URL of any length. */
function isSendable(cursor: string): boolean {
  return cursor.length <= longestCursor && cursor.isWellFormed();
}

const longestCursor = 8192;
/** Enough for such a cursor and for the question that the service repeats. */
const longestTail = 2 * longestCursor;
