import { onAbort } from "../context/on-abort.ts";

/**
 * Rejects with the signal's reason where that comes first. Not `Promise.race` with one promise for a whole stream, which
 * would remember every race.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    const release = onAbort(signal, giveUp);
    work.then(resolve, reject).finally(release);
  });
}
