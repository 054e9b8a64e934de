/** What comes of a body: all that has come each time, so that who is slow takes it in few turns. */
export interface Chunks extends AsyncIterable<readonly Buffer[]> {
  readonly next: () => Promise<IteratorResult<readonly Buffer[], undefined>>;
}

/** Not a generator, which waits three times for each of them: most events come alone in theirs. */
export function chunksOf(next: Chunks["next"]): Chunks {
  const chunks: Chunks = { next, [Symbol.asyncIterator]: () => chunks };
  return chunks;
}

/** What has come of a body and was not asked for yet. */
export interface ChunkQueue {
  readonly add: (chunk: Buffer) => void;
  readonly end: () => void;
  /** It ends with this cause, behind what has come. */
  readonly fail: (cause: unknown) => void;
  /** For one reader, who asks for the next ones when the last ones are there. */
  readonly taken: Chunks;
}

/** Where the chunks come from. */
export interface ChunkSource {
  readonly pause: () => void;
  readonly resume: () => void;
}

interface Waiter {
  readonly resolve: (result: IteratorResult<readonly Buffer[], undefined>) => void;
  readonly reject: (cause: unknown) => void;
}

/** Bytes: the source rests while so many wait. */
const mostWaiting = 64 * 1024;

export function createChunkQueue(source: ChunkSource): ChunkQueue {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let isPaused = false;
  let over: { readonly cause?: unknown } | undefined;
  let reader: Waiter | undefined;

  /** Whether the reader got something, be it the end. */
  const serve = ({ resolve, reject }: Waiter): boolean => {
    if (waiting.length > 0) {
      const value = waiting;
      [waiting, bytes] = [[], 0];
      if (isPaused) source.resume();
      isPaused = false;
      resolve({ done: false, value });
    } else if (over === undefined) return false;
    else if ("cause" in over) reject(over.cause);
    else resolve({ done: true, value: undefined });
    return true;
  };
  const tell = (): void => {
    if (reader !== undefined && serve(reader)) reader = undefined;
  };

  return {
    add: (chunk) => {
      waiting.push(chunk);
      bytes += chunk.length;
      tell();
      if (bytes < mostWaiting || isPaused) return;
      isPaused = true;
      source.pause();
    },
    end: () => {
      over ??= {};
      tell();
    },
    fail: (cause) => {
      over ??= { cause };
      tell();
    },
    taken: chunksOf(
      () =>
        new Promise((resolve, reject) => {
          const asking = { resolve, reject };
          if (!serve(asking)) reader = asking;
        }),
    ),
  };
}
