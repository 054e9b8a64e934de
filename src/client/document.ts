import { isUtf8 } from "node:buffer";
import { damagedResponse, invalidResponse } from "../base/failure.ts";

/** A complete response. */
export interface Answer {
  readonly status: number;
  /** Names are lowercase. If a header is repeated, its first value is used. */
  readonly headers: ReadonlyMap<string, string>;
  /** The decoded body, with at most one layer of gzip removed. */
  readonly body: Uint8Array;
  /** When the headers arrived, in milliseconds since the epoch by the local clock. */
  readonly received: number;
}

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
  // Found here, the request is repeated. A truncated body or an error page does not end like JSON.
  if (!isUtf8(body)) throw damagedResponse("invalid response: not valid UTF-8");
  if (!/[\]}]\s*$/u.test(Buffer.from(body.subarray(-16)).toString("latin1"))) read();
  return { bytes: body, asOf, read };
}
