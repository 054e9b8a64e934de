/** Not `Promise.race` with one promise for the whole stream, which would remember every race. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const settle = (end: () => void): void => {
      signal.removeEventListener("abort", abort);
      end();
    };
    work.then(
      (value) => settle(() => resolve(value)),
      (cause: unknown) => settle(() => reject(cause)),
    );
  });
}
