/** Each producer waits until all its items have been taken. `signal` aborts when the consumer has stopped. */
export function createHandover<T>(signal: AbortSignal) {
  const waiting: { readonly items: readonly T[]; readonly done: () => void }[] = [];
  let failure: { readonly cause: unknown } | undefined;
  let wake: (() => void) | undefined;
  signal.addEventListener("abort", () => {
    for (const { done } of waiting.splice(0)) done();
  });
  return {
    give: async (items: readonly T[]): Promise<void> =>
      await new Promise((done) => {
        if (signal.aborted) return done();
        waiting.push({ items, done });
        return wake?.();
      }),
    /** The consumer takes the remaining items before it receives the error. */
    fail: (cause: unknown): void => {
      failure = { cause };
      wake?.();
    },
    taken: async function* (): AsyncGenerator<T> {
      for (;;) {
        const next = waiting[0];
        if (next !== undefined) {
          yield* next.items;
          waiting.shift();
          next.done();
        } else if (failure !== undefined) throw failure.cause;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
