/**
 * Passes items from several producers to one consumer. Each producer waits until all of its items were taken.
 *
 * @param signal aborts when the consumer has stopped
 */
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
    /** Ends the handover. The consumer takes the remaining items first, and then receives the cause as an error. */
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
