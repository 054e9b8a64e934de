/**
 * Keeps up to `width` requests pending. A request is sent only when there is room, so memory stays limited even if the
 * consumer is slow. The sequence ends with the first failure, after all earlier responses, or when the consumer stops;
 * pending requests are then ignored. With `firstAlone`, a mistyped address that all requests share costs only one
 * credit.
 */
export async function* inOrder<T extends object>(
  asks: Iterable<() => Promise<T>>,
  width: number,
  { firstAlone = false } = {},
): AsyncGenerator<T> {
  const waiting = asks[Symbol.iterator]();
  const pending: Promise<T>[] = [];
  let isFailing = false;
  const fill = (upTo: number): void => {
    // The sequence ends at the failed request, so the responses to later ones would not be used.
    if (isFailing) return;
    while (pending.length < upTo) {
      const ask = waiting.next();
      if (ask.done === true) return;
      const answer = ask.value();
      // A failure is reported when its response is due, not before.
      answer.catch(() => {
        isFailing = true;
      });
      pending.push(answer);
    }
  };
  for (fill(firstAlone ? 1 : width); pending.length > 0; fill(width)) {
    const value = await pending[0];
    void pending.splice(0, 1);
    if (value !== undefined) yield value;
  }
}

/**
 * undici reuses a connection in the second event loop turn after the last response, once it is certain that the
 * connection is still open. Work that starts immediately would delay the next request.
 */
export async function yieldToSocket(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
