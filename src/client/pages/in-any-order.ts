/**
 * Runs up to `width` sequences at once and yields their values as they come. A sequence continues when its value has
 * been taken. After a failure, the values that are already on their way are still yielded.
 */
export async function* inAnyOrder<T>(
  sequences: Iterable<() => AsyncGenerator<T>>,
  width: number,
): AsyncGenerator<T> {
  const waiting = sequences[Symbol.iterator]();
  const running = new Map<AsyncGenerator<T>, ReturnType<typeof step>>();
  const step = async (sequence: AsyncGenerator<T>) => ({ sequence, result: await sequence.next() });
  const advance = (sequence: AsyncGenerator<T>): void => {
    const pending = step(sequence);
    pending.catch(() => undefined);
    running.set(sequence, pending);
  };
  const fill = (): void => {
    while (running.size < width) {
      const made = waiting.next();
      if (made.done === true) return;
      advance(made.value());
    }
  };
  try {
    for (fill(); running.size > 0; fill()) {
      const { sequence, result } = await Promise.race(running.values());
      if (result.done === true) running.delete(sequence);
      else {
        // The next request is on its way while the consumer uses this value.
        advance(sequence);
        yield result.value;
      }
    }
  } catch (cause) {
    for (const late of await Promise.allSettled(running.values()))
      if (late.status === "fulfilled" && late.value.result.done !== true) yield late.value.result.value;
    throw cause;
  }
}
