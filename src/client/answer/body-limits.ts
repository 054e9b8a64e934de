import { untrustedAnswer } from "../../contract/failure.ts";
import { eachOutsideStrings, OPEN_ARRAY, OPEN_OBJECT } from "../../json/json-scan.ts";

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

const COMMA = 44;

export function tooLarge(bytes: number, url: URL): Error {
  return untrustedAnswer(`the answer from ${url.host} is larger than ${bytes / 1024 / 1024} MiB`);
}

/** Refuses what would fit as bytes, but not as values. */
export function checkValues(body: Uint8Array, url: URL): void {
  if (body.length <= lightBytes) return;
  // Of UTF-8 read as Latin 1, what counts is the same.
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
  if (countValues(text) > maxValues)
    throw untrustedAnswer(`the answer from ${url.host} holds more than ${maxValues} values`);
}

/** Counted by what begins a value or stands before one; of what is no JSON it says nothing useful, and ends. */
function countValues(text: string): number {
  let values = 0;
  try {
    eachOutsideStrings(text, (code, at) => {
      if (code === COMMA || code === OPEN_ARRAY || code === OPEN_OBJECT) values += 1;
      return at;
    });
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  return values;
}
