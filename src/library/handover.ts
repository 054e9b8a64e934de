/** From those who give to the one who takes: whoever gives waits until all of it is taken. */
export interface Handover<T> {
  readonly give: (items: readonly T[]) => Promise<void>;
  /** What was given is still taken, then the taker gets the cause. */
  readonly fail: (cause: unknown) => void;
  readonly taken: () => AsyncGenerator<T>;
}

/** `signal`: nobody takes any more. */
export function createHandover<T>(signal: AbortSignal): Handover<T> {
  const waiting: { readonly items: readonly T[]; readonly done: () => void }[] = [];
  let failure: { readonly cause: unknown } | undefined;
  let wake: (() => void) | undefined;
  signal.addEventListener("abort", () => {
    for (const { done } of waiting.splice(0)) done();
  });
  return {
    give: async (items) =>
      await new Promise((done) => {
        if (signal.aborted) return done();
        waiting.push({ items, done });
        return wake?.();
      }),
    fail: (cause) => {
      failure = { cause };
      wake?.();
    },
    taken: async function* () {
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
