import { invalidResponse } from "../../contract/failure.ts";
import { eachOutsideStrings, OPEN_ARRAY, OPEN_OBJECT } from "../../json/json-scan.ts";
import { grouped } from "../../text/counted.ts";

/** In decoded bytes; larger responses would use too much memory. Pages of 100 rows are much smaller. */
export const maxBodyBytes = 32 * 1024 * 1024;
/** In bytes. Error messages quote the entire response text, usually two sentences. */
export const maxRefusalBytes = 256 * 1024;

/** When parsed, `[[` or `{}` can take 250 times its size in memory. The largest responses have about 10,000 values. */
const maxValues = 500_000;
/** Up to this size, a body cannot contain enough values to matter. */
const lightBytes = 1024 * 1024;

const COMMA = 44;

export function tooLarge(bytes: number, url: URL): Error {
  return invalidResponse(`the response from ${url.host} is larger than ${bytes / 1024 / 1024} MiB`);
}

/** Rejects a body that is small in bytes but would use too much memory once parsed. */
export function checkValues(body: Uint8Array, url: URL): void {
  if (body.length <= lightBytes) return;
  // The bytes to count are the same in UTF-8 and Latin-1.
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
  if (countValues(text) > maxValues)
    throw invalidResponse(
      `the response from ${url.host} contains more than ${grouped(String(maxValues))} values`,
    );
}

/** Counts the bytes that start a value or come right before one. The result is meaningless if the text is not JSON. */
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
