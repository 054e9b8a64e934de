/** Waits for one piece of work after the other, and for none of them once the signal has aborted. */
export interface AbortableWait {
  /** Rejects with the signal's reason where that comes first. One at a time. */
  readonly wait: <T>(work: Promise<T>) => Promise<T>;
  readonly release: () => void;
}

/**
 * One listener for all of them: a stream waits for its reader after each event. Not `Promise.race` with one promise for
 * the whole stream, which would remember every race.
 */
export function waitUntilAborted(signal: AbortSignal): AbortableWait {
  let giveUp: ((reason: unknown) => void) | undefined;
  const abort = (): void => giveUp?.(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return {
    wait: (work) =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        if (signal.aborted) abort();
        work.then(resolve, reject);
      }),
    release: () => signal.removeEventListener("abort", abort),
  };
}

export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { wait, release } = waitUntilAborted(signal);
  try {
    return await wait(work);
  } finally {
    release();
  }
}
