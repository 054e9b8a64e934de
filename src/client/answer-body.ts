import { gunzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { Failure, untrustedAnswer } from "../model/failure.ts";
import { checkValues, maxBodyBytes, maxRefusalBytes, tooLarge } from "./body-limits.ts";

/**
 * The whole body, within the limits, decoded: one gzip layer at most is taken off. A refusal means what its status
 * says, so one whose body cannot be read has none.
 */
export async function readAnswerBody(
  { statusCode, body }: Pick<Dispatcher.ResponseData, "statusCode" | "body">,
  headers: ReadonlyMap<string, string>,
  url: URL,
): Promise<Uint8Array> {
  const isRefusal = statusCode < 200 || statusCode >= 300;
  const most = isRefusal ? maxRefusalBytes : maxBodyBytes;
  try {
    const decoded = decode(await collect(body, most, url), headers.get("content-encoding"), most, url);
    checkValues(decoded, url);
    return decoded;
  } catch (cause) {
    if (isRefusal && cause instanceof Failure) return new Uint8Array();
    throw cause;
  }
}

async function collect(body: Dispatcher.ResponseData["body"], most: number, url: URL): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of body) {
    if (!Buffer.isBuffer(bytes)) throw new TypeError("undici's body yields Buffers");
    size += bytes.length;
    if (size > most) {
      body.destroy();
      throw tooLarge(most, url);
    }
    chunks.push(bytes);
  }
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size);
}

function decode(body: Uint8Array, name: string | undefined, most: number, url: URL): Uint8Array {
  // RFC 9110, 8.4.1: names of codings have no letter case.
  const encoding = name?.toLowerCase();
  if (encoding === undefined || encoding === "identity" || body.length === 0) return body;
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    throw untrustedAnswer(`${url.host} answered with content-encoding ${encoding}, which was not asked for`);
  }
  try {
    return gunzipSync(body, { maxOutputLength: most });
  } catch (cause) {
    const isTooLarge = cause instanceof RangeError;
    throw isTooLarge ? tooLarge(most, url) : untrustedAnswer(`the gzip body from ${url.host} is damaged`);
  }
}
