import { untrustedAnswer } from "../../contract/failure.ts";

/** Larger answers are refused: pages of 100 rows stay far below, and memory must stay bounded. Decoded bytes. */
export const maxBodyBytes = 32 * 1024 * 1024;
/** What a refusal says is repeated to people whole, and two sentences are usual. */
export const maxRefusalBytes = 256 * 1024;

/**
 * A value takes up to 250 times the memory of the two bytes that `[[` or `{}` cost. The longest answers there are have
 * some ten thousand.
 */
const maxValues = 500_000;
/** A body of that length has too few bytes for it to matter. */
const lightBytes = 1024 * 1024;

const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;

export function tooLarge(bytes: number, url: URL): Error {
  return untrustedAnswer(`the answer from ${url.host} is larger than ${bytes / 1024 / 1024} MiB`);
}

/** Refuses what would fit as bytes, but not as values. */
export function checkValues(body: Uint8Array, url: URL): void {
  if (body.length <= lightBytes || !hasMoreValues(body, maxValues)) return;
  throw untrustedAnswer(`the answer from ${url.host} holds more than ${maxValues} values`);
}

/** Counted by what begins a value or stands before one; of what is no JSON it says nothing useful, and ends. */
function hasMoreValues(body: Uint8Array, most: number): boolean {
  let values = 0;
  let isString = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (isString) {
      if (byte === BACKSLASH) at += 1;
      else isString = byte !== QUOTE;
    } else if (byte === QUOTE) isString = true;
    else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}
