/** Each read returns all chunks that have arrived, so that a slow reader needs only a few reads. */
export interface Chunks extends AsyncIterable<readonly Buffer[]> {
  readonly next: () => Promise<ChunkResult>;
  /** How often the source was paused because of a slow reader. */
  readonly pauses: () => number;
}

type ChunkResult = IteratorResult<readonly Buffer[], undefined>;

/** A generator would be slower: it awaits three times per result, and most results contain a single event. */
export function chunksOf(next: Chunks["next"], pauses = (): number => 0): Chunks {
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
