/**
 * Yields the responses in the order of their requests, with up to `width` requests pending: none begins before there is room,
 * so memory stays bounded however slow the consumer is. The first failure ends it, after everything before it; so does a
 * consumer that stops. Requests still pending are then ignored. `firstAlone`: if all requests are about the same address, the
 * first one finds out whether it exists, so that a mistyped address costs one credit.
 */
export async function* inOrder<T extends object>(
  asks: Iterable<() => Promise<T>>,
  width: number,
  { firstAlone = false } = {},
): AsyncGenerator<T> {
  const waiting = asks[Symbol.iterator]();
  const pending: Promise<T>[] = [];
  const fill = (upTo: number): void => {
    while (pending.length < upTo) {
      const ask = waiting.next();
      if (ask.done === true) return;
      const answer = ask.value();
      // A failure is read in its turn, not before.
      answer.catch(() => undefined);
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
 * Yields to the socket. undici reuses a connection in the second turn of the event loop after the last response, once it is
 * sure that the connection is still open. Work that begins at once would delay a request for as long as it takes.
 */
export async function letLeave(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
