import { gunzipSync } from "node:zlib";
import { Failure, untrustedAnswer } from "../../contract/failure.ts";
import { checkValues, maxBodyBytes, maxRefusalBytes, tooLarge } from "./body-limits.ts";
import type { Answer } from "../connection/transport.ts";

/** A body as it comes, piece by piece, within the limits. */
export interface AnswerBody {
  /** Throws where it is too much. */
  readonly add: (bytes: Buffer) => void;
  /** The whole of it, decoded: one gzip layer at most is taken off. */
  readonly end: () => Uint8Array;
  /** A refusal means what its status says, so one whose body cannot be read has none. Throws the cause elsewhere. */
  readonly without: (cause: unknown) => Uint8Array;
}

export function createAnswerBody({ status, headers }: Omit<Answer, "body">, url: URL): AnswerBody {
  const isRefusal = status < 200 || status >= 300;
  const most = isRefusal ? maxRefusalBytes : maxBodyBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  const without = (cause: unknown): Uint8Array => {
    if (isRefusal && cause instanceof Failure) return new Uint8Array();
    throw cause;
  };
  return {
    without,
    add: (bytes) => {
      size += bytes.length;
      if (size > most) throw tooLarge(most, url);
      chunks.push(bytes);
    },
    end: () => {
      const [only] = chunks;
      const whole = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size);
      try {
        const decoded = decode(whole, headers.get("content-encoding"), most, url);
        checkValues(decoded, url);
        return decoded;
      } catch (cause) {
        return without(cause);
      }
    },
  };
}

/** The same of a body that comes as a stream. */
export async function readAnswerBody(
  stream: AsyncIterable<readonly Buffer[]>,
  answer: Omit<Answer, "body">,
  url: URL,
): Promise<Uint8Array> {
  const body = createAnswerBody(answer, url);
  try {
    for await (const chunks of stream) for (const bytes of chunks) body.add(bytes);
  } catch (cause) {
    return body.without(cause);
  }
  return body.end();
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
