import { untrustedAnswer } from "../../contract/failure.ts";
import { eachOutsideStrings, OPEN_ARRAY, OPEN_OBJECT } from "../../json/json-scan.ts";
import { grouped } from "../../text/counted.ts";

/** Decoded bytes. Larger responses are rejected to keep memory bounded; pages of 100 rows stay far below. */
export const maxBodyBytes = 32 * 1024 * 1024;
/** Messages repeat the text of a rejection in full; two sentences are usual. */
export const maxRefusalBytes = 256 * 1024;

/** A value takes up to 250 times the memory of its two bytes in `[[` or `{}`. The longest responses have some ten thousand. */
const maxValues = 500_000;
/** A body of this length has too few bytes for that to matter. */
const lightBytes = 1024 * 1024;

const COMMA = 44;

export function tooLarge(bytes: number, url: URL): Error {
  return untrustedAnswer(`the response from ${url.host} is larger than ${bytes / 1024 / 1024} MiB`);
}

/** Rejects a body that would fit into memory as bytes, but not as values. */
export function checkValues(body: Uint8Array, url: URL): void {
  if (body.length <= lightBytes) return;
  // The bytes that count are the same in UTF-8 and in Latin 1.
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
  if (countValues(text) > maxValues)
    throw untrustedAnswer(
      `the response from ${url.host} contains more than ${grouped(String(maxValues))} values`,
    );
}

/** Counts the bytes that begin a value or precede one. For text that is not JSON, the number means nothing. */
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
