/** The chunks of a body: each time, all that have arrived, so that a slow reader takes them in few turns. */
export interface Chunks extends AsyncIterable<readonly Buffer[]> {
  readonly next: () => Promise<ChunkResult>;
}

type ChunkResult = IteratorResult<readonly Buffer[], undefined>;

/** Not a generator, which waits three times for each result: most events arrive alone in theirs. */
export function chunksOf(next: Chunks["next"]): Chunks {
  const chunks: Chunks = { next, [Symbol.asyncIterator]: () => chunks };
  return chunks;
}

/** Bytes: the source pauses while this many wait for the reader. */
const maxWaitingBytes = 64 * 1024;

interface Reader {
  readonly resolve: (result: ChunkResult) => void;
  readonly reject: (cause: unknown) => void;
}

export type ChunkQueue = ReturnType<typeof createChunkQueue>;

/** Holds the chunks of a body that have arrived and are not read yet. `source`: the socket they come from. */
export function createChunkQueue(source: { readonly pause: () => void; readonly resume: () => void }) {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let isPaused = false;
  let end: { readonly cause?: unknown } | undefined;
  let reader: Reader | undefined;

  /** Serves the reader with chunks, or else with the end. */
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
      source.pause();
    },
    end: (): void => {
      end ??= {};
      serve();
    },
    /** Ends the queue with this cause, after the chunks that have arrived. */
    fail: (cause: unknown): void => {
      end ??= { cause };
      serve();
    },
    /** For one reader, who requests the next chunks only after the last ones. */
    chunks: chunksOf(
      () =>
        new Promise((resolve, reject) => {
          reader = { resolve, reject };
          serve();
        }),
    ),
  };
}
