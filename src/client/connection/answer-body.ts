import { gunzipSync } from "node:zlib";
import { damagedResponse, Failure, invalidResponse } from "../../base/failure.ts";
import { eachOutsideStrings, OPEN_ARRAY, OPEN_OBJECT } from "../../base/json/json-scan.ts";
import { grouped } from "../../base/text/words.ts";

/** In decoded bytes; larger responses would use too much memory. Pages of 100 rows are much smaller. */
const maxBodyBytes = 32 * 1024 * 1024;
/** In bytes. Error messages quote the entire response text, usually two sentences. */
const maxRefusalBytes = 256 * 1024;

/** When parsed, `[[` or `{}` can take 250 times its size in memory. The largest responses have about 10,000 values. */
const maxValues = 500_000;
/** Up to this size, a body cannot contain enough values to matter. */
const lightBytes = 1024 * 1024;

const COMMA = 44;

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

export interface OpenAnswer extends Omit<Answer, "body"> {
  /** The socket is paused while the reader is slow. */
  readonly body: Chunks;
  /** Discards the rest of the body. */
  readonly abort: () => void;
}

export async function readAnswerBody({ body, abort, ...head }: OpenAnswer, url: URL): Promise<Answer> {
  const { status, headers } = head;
  const isRefusal = status < 200 || status >= 300;
  const maxBytes = isRefusal ? maxRefusalBytes : maxBodyBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const arrived of body) {
      for (const chunk of arrived) size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes, url);
      chunks.push(...arrived);
    }
    const [only] = chunks;
    const bytes = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size);
    const decoded = decode(bytes, headers.get("content-encoding"), maxBytes, url);
    checkValues(decoded, url);
    return { ...head, body: decoded };
  } catch (cause) {
    abort();
    // A rejection's status is sufficient, so an unreadable body is treated as empty.
    if (isRefusal && cause instanceof Failure) return { ...head, body: new Uint8Array() };
    throw cause;
  }
}

/** Codings are case-insensitive (RFC 9110, 8.4.1). A header without a value names none (5.6.1: an empty list). */
export function codingOf(header: string | undefined): string {
  if (header === undefined) return "identity";
  return header.replaceAll(/^[\s,]+|[\s,]+$/gu, "").toLowerCase() || "identity";
}

function decode(body: Uint8Array, name: string | undefined, maxBytes: number, url: URL): Uint8Array {
  const encoding = codingOf(name);
  if (encoding === "identity" || body.length === 0) return body;
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    throw invalidResponse(`invalid response: unexpected content-encoding ${encoding} from ${url.host}`);
  }
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    const isTooLarge = cause instanceof RangeError;
    throw isTooLarge
      ? tooLarge(maxBytes, url)
      : damagedResponse(`invalid response: corrupt gzip data from ${url.host}`);
  }
}

function tooLarge(bytes: number, url: URL): Error {
  return invalidResponse(`the response from ${url.host} is larger than ${bytes / 1024 / 1024} MiB`);
}

/** Rejects a body that is small in bytes but would use too much memory once parsed. */
function checkValues(body: Uint8Array, url: URL): void {
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

/** Each read returns all chunks that have arrived, so that a slow reader needs only a few reads. */
export interface Chunks extends AsyncIterable<readonly Buffer[]> {
  readonly next: () => Promise<ChunkResult>;
  /** How often the source was paused because of a slow reader. */
  readonly pauses: () => number;
}

type ChunkResult = IteratorResult<readonly Buffer[], undefined>;

/** A generator would be slower: it awaits three times per result, and most results contain a single event. */
export function chunksOf(next: Chunks["next"], pauses: Chunks["pauses"]): Chunks {
  const chunks: Chunks = { next, pauses, [Symbol.asyncIterator]: () => chunks };
  return chunks;
}

/** The source pauses when this many bytes are waiting for the reader. */
const maxWaitingBytes = 64 * 1024;

export type ChunkQueue = ReturnType<typeof createChunkQueue>;

/** `source` is the socket that sends the chunks. */
export function createChunkQueue(source: { readonly pause: () => void; readonly resume: () => void }) {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let isPaused = false;
  let pauses = 0;
  let end: { readonly cause?: unknown } | undefined;
  let reader: { resolve: (result: ChunkResult) => void; reject: (cause: unknown) => void } | undefined;

  const serve = (): void => {
    if (reader === undefined || (waiting.length === 0 && end === undefined)) return;
    const { resolve, reject } = reader;
    const value = waiting;
    reader = undefined;
    if (value.length > 0) {
      [waiting, bytes] = [[], 0];
      resolve({ done: false, value });
      if (!isPaused) return;
      isPaused = false;
      source.resume();
    } else if (end !== undefined && "cause" in end) reject(end.cause);
    else resolve({ done: true, value: undefined });
  };

  return {
    add: (chunk: Buffer): void => {
      waiting.push(chunk);
      bytes += chunk.length;
      serve();
      if (bytes < maxWaitingBytes || isPaused) return;
      isPaused = true;
      pauses += 1;
      source.pause();
    },
    end: (): void => {
      end ??= {};
      serve();
    },
    /** The error follows all chunks that have arrived. */
    fail: (cause: unknown): void => {
      end ??= { cause };
      serve();
    },
    /** Supports a single reader, which must receive one result before it requests the next. */
    chunks: chunksOf(
      () =>
        new Promise((resolve, reject) => {
          reader = { resolve, reject };
          serve();
        }),
      () => pauses,
    ),
  };
}
