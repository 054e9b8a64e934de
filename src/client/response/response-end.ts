import { parseJson } from "../../base/json/json-scan.ts";

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
export function isCertainlyComplete(body: Uint8Array): boolean {
  const isArray = /\]\s*$/u.test(bufferOf(body).toString("latin1", body.length - 16));
  return isArray ? body.lastIndexOf(OPEN_ARRAY) === 0 : membersAfterRows(body) !== undefined;
}

const OPEN_ARRAY = 91;

const bufferOf = (body: Uint8Array): Buffer => Buffer.from(body.buffer, body.byteOffset, body.length);
