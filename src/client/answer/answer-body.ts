import { gunzipSync } from "node:zlib";
import { Failure, untrustedAnswer } from "../../contract/failure.ts";
import { checkValues, maxBodyBytes, maxRefusalBytes, tooLarge } from "./body-limits.ts";

export interface Answer {
  readonly status: number;
  /** Lower-case names; of a repeated header the first value. */
  readonly headers: ReadonlyMap<string, string>;
  /** Decoded: one gzip layer at most is taken off. */
  readonly body: Uint8Array;
}

/** A body as it comes, piece by piece, within the limits. */
export function createAnswerBody({ status, headers }: Omit<Answer, "body">, url: URL) {
  const isRefusal = status < 200 || status >= 300;
  const most = isRefusal ? maxRefusalBytes : maxBodyBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  /** A refusal means what its status says, so one whose body cannot be read has none. Throws the cause elsewhere. */
  const without = (cause: unknown): Uint8Array => {
    if (isRefusal && cause instanceof Failure) return new Uint8Array();
    throw cause;
  };
  /** Throws where it is too much. */
  const add = (bytes: Buffer): void => {
    size += bytes.length;
    if (size > most) throw tooLarge(most, url);
    chunks.push(bytes);
  };
  /** The whole of it, decoded: one gzip layer at most is taken off. */
  const end = (): Uint8Array => {
    const [only] = chunks;
    const whole = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size);
    try {
      const decoded = decode(whole, headers.get("content-encoding"), most, url);
      checkValues(decoded, url);
      return decoded;
    } catch (cause) {
      return without(cause);
    }
  };
  return { add, end, without };
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

/** An answer that should be JSON. Many rows are passed on as the bytes that came: nothing is read before it must be. */
export interface Document {
  readonly bytes: Uint8Array;
  /** Checked whole, grammar and encoding, so that slices of the text are valid JSON themselves. */
  readonly read: () => CheckedDocument;
}

export interface CheckedDocument {
  /** The service's own. */
  readonly text: string;
  /** Parsed: integers above 2^53 are rounded here, so values to be shown are read from `text`. */
  readonly value: unknown;
}

export function createDocument(answer: Answer): Document {
  // Nobody asked for a part, and one that is whole JSON would pass for all of it.
  if (answer.status === 206) throw untrustedAnswer("the answer is only a part of one (status 206)");
  return { bytes: answer.body, read: () => readDocument(answer) };
}

function readDocument(answer: Answer): CheckedDocument {
  const text = decodeUtf8(answer.body);
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    throw untrustedAnswer(describeNoJson(answer, text));
  }
}

function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw untrustedAnswer("the answer is not valid UTF-8");
  }
}

function describeNoJson(answer: Answer, text: string): string {
  if (text.trim() === "") return `the answer is empty (status ${answer.status})`;
  if (/^\s*</u.test(text)) return `the answer is a web page, not JSON (status ${answer.status})`;
  return `the answer is not whole JSON (status ${answer.status}, ${answer.body.length} bytes)`;
}
