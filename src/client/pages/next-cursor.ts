import { invalidResponse } from "../../base/failure.ts";
import { member } from "../../base/json/json-scan.ts";
import { membersAfterRows } from "../document.ts";

/**
 * Undefined after the last page; null if another page is promised without a cursor. `has_next_page` may be missing; a
 * cursor alone then indicates another page.
 */
export function nextCursor(answer: object): string | null | undefined {
  const [hasNextPage, cursor] = [member(answer, "has_next_page"), member(answer, "next_cursor")];
  if (hasNextPage !== undefined && hasNextPage !== null && typeof hasNextPage !== "boolean") {
    throw invalidResponse("invalid response: has_next_page is not true or false");
  }
  if (hasNextPage === false) return undefined;
  if (typeof cursor === "string" && cursor !== "") {
    if (!isSendable(cursor))
      throw invalidResponse("invalid response: next_cursor is too long or not valid Unicode");
    return cursor;
  }
  if (cursor !== undefined && cursor !== null && cursor !== "")
    throw invalidResponse("invalid response: next_cursor is not a string");
  return hasNextPage === true ? null : undefined;
}

/**
 * Finds the cursor before the rows are parsed. Returns undefined unless the end of the response certainly promises
 * another page.
 */
export function promisedCursor(body: Uint8Array): string | undefined {
  const envelope = membersAfterRows(body);
  const cursor = member(envelope, "next_cursor");
  const isPromised = member(envelope, "has_next_page") === true && typeof cursor === "string";
  return isPromised && cursor !== "" && isSendable(cursor) ? cursor : undefined;
}

/** A lone surrogate has no UTF-8 encoding, and hosts limit the length of URLs. */
function isSendable(cursor: string): boolean {
  return cursor.length <= longestCursor && cursor.isWellFormed();
}

const longestCursor = 8192;
