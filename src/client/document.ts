import { isUtf8 } from "node:buffer";
import { damagedResponse, invalidResponse } from "../base/failure.ts";
import { OPEN_ARRAY, parseJson } from "../base/json/json-scan.ts";
import type { Answer } from "./connection/answer-body.ts";

export type Document = ReturnType<typeof createDocument>;

/**
 * Most rows are passed on as bytes, so the text is decoded only when needed. `asOf` is the time that the data are from, in
 * Unix milliseconds; see `AnswerAge`.
 */
export function createDocument({
  status,
  body,
  asOf,
}: Pick<Answer, "status" | "body"> & { readonly asOf?: number | undefined }) {
  // The client never requests a range, and a partial body that happens to be valid JSON would look complete.
  if (status === 206) throw invalidResponse("invalid response: partial content (HTTP 206)");
  /**
   * Validates the entire text's grammar and encoding, so slices of it are valid JSON as well. In the parsed value,
   * integers above 2^53 are rounded, so values for display are taken from the text.
   */
  const read = () => {
    const text = new TextDecoder().decode(body);
    try {
      return { text, value: JSON.parse(text) as unknown };
    } catch {
      if (/^\s*</u.test(text))
        throw damagedResponse(`invalid response: HTML instead of JSON (HTTP ${status})`);
      if (text.trim() === "") throw damagedResponse(`invalid response: empty body (HTTP ${status})`);
      throw damagedResponse(
        `invalid response: malformed or truncated JSON (HTTP ${status}, ${body.length} bytes)`,
      );
    }
  };
  // Found here, the request is repeated.
  if (!isUtf8(body)) throw damagedResponse("invalid response: not valid UTF-8");
  if (!isCertainlyComplete(body)) read();
  return { bytes: body, asOf, read };
}

/** In bytes: enough for the longest cursor and the request echoed by the service. */
const longestEnd = 16_384;
/** Members of a list that usually follow its rows, and that no row has. */
const names = ['"has_next_page"', '"next_cursor"', '"page_info"'];

/**
 * Reads the members of a list after its rows. Returns undefined unless the end of the response certainly has them. The
 * text after a `]` and a comma, up to the very end, has to be valid JSON once a `{` is added in front. Such text closes
 * one more object than it opens, so it can contain only members of the outermost object. It cannot begin inside a
 * string: every following quote's meaning would be reversed, and the last quote would open a string that never ends.
 */
export function membersAfterRows(body: Uint8Array): unknown {
  const end = bufferOf(body).subarray(-longestEnd);
  const places = names.map((name) => end.lastIndexOf(name)).filter((at) => at >= 0);
  const close = places.length === 0 ? -1 : end.lastIndexOf("]", Math.min(...places));
  const [, members] = close < 0 ? [] : (/^\]\s*,(.*)$/su.exec(end.toString("utf8", close)) ?? []);
  return members === undefined ? undefined : parseJson(`{${members}`);
}

/**
 * Whether the end of a response shows that it is not truncated, so that it is not parsed for that: a list with members
 * after its rows, or an array without others in it, such as candles.
 */
function isCertainlyComplete(body: Uint8Array): boolean {
  const isArray = /\]\s*$/u.test(bufferOf(body).toString("latin1", body.length - 16));
  return isArray ? body.lastIndexOf(OPEN_ARRAY) === 0 : membersAfterRows(body) !== undefined;
}

const bufferOf = (body: Uint8Array): Buffer => Buffer.from(body.buffer, body.byteOffset, body.length);
