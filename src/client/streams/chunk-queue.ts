/** What has come of a body and was not asked for yet. */
export interface ChunkQueue {
  readonly add: (chunk: Buffer) => void;
  readonly end: () => void;
  /** It ends with this cause, behind what has come. */
  readonly fail: (cause: unknown) => void;
  /** All that has come each time, so that who is slow takes it in few turns. */
  readonly taken: () => AsyncGenerator<readonly Buffer[]>;
}

/** Where the chunks come from. */
export interface ChunkSource {
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Bytes: the source rests while so many wait. */
const mostWaiting = 64 * 1024;

export function createChunkQueue(source: ChunkSource): ChunkQueue {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let over: { readonly cause?: unknown } | undefined;
  let wake: (() => void) | undefined;
  return {
    add: (chunk) => {
      waiting.push(chunk);
      bytes += chunk.length;
      if (bytes >= mostWaiting) source.pause();
      wake?.();
    },
    end: () => {
      over ??= {};
      wake?.();
    },
    fail: (cause) => {
      over ??= { cause };
      wake?.();
    },
    taken: async function* taken() {
      for (;;) {
        if (waiting.length > 0) {
          const chunks = waiting;
          [waiting, bytes] = [[], 0];
          source.resume();
          yield chunks;
        } else if (over === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        } else if ("cause" in over) throw over.cause;
        else return;
      }
    },
  };
}
