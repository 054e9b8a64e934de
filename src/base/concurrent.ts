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

/** Runs a request when there is room for it. */
export type Send = <A>(request: () => Promise<A>) => Promise<A>;

/**
 * Runs several sequences at once and yields their values as they come. All of them together have up to `width` requests
 * pending; more sequences run, so that the next request is sent before a response is used. A sequence continues when its
 * value has been taken. After a failure, or when the consumer stops, no more requests are sent; the values that are
 * already on their way when one fails are still yielded.
 */
export async function* inAnyOrder<T>(
  sequences: Iterable<(send: Send) => AsyncGenerator<T>>,
  width: number,
): AsyncGenerator<T> {
  const { send, close } = createSender(width);
  const waiting = sequences[Symbol.iterator]();
  const running = new Map<AsyncGenerator<T>, ReturnType<typeof step>>();
  const step = async (sequence: AsyncGenerator<T>) => ({ sequence, result: await sequence.next() });
  const advance = (sequence: AsyncGenerator<T>): void => {
    const pending = step(sequence);
    pending.catch(() => undefined);
    running.set(sequence, pending);
  };
  const fill = (): void => {
    while (running.size < 2 * width) {
      const made = waiting.next();
      if (made.done === true) return;
      advance(made.value(send));
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
    close();
    for (const late of await Promise.allSettled(running.values()))
      if (late.status === "fulfilled" && late.value.result.done !== true) yield late.value.result.value;
    throw cause;
  } finally {
    close();
  }
}

/** `send` runs up to `width` requests at once, in the order of the calls. None is sent after `close`. */
function createSender(width: number): { readonly send: Send; readonly close: () => void } {
  let free = width;
  let isClosed = false;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    send: async (request) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => void waiting.push(resolve));
      if (isClosed) throw new Error("no longer needed");
      try {
        const answer = await request();
        release();
        return answer;
      } catch (cause) {
        // If this failure ends everything, that is known before the next turn.
        setImmediate(release);
        throw cause;
      }
    },
    close: () => {
      isClosed = true;
      for (const next of waiting.splice(0)) next();
    },
  };
}

/** Runs one task at a time, in the order of the calls, even after failures. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}

/**
 * undici reuses a connection in the second event loop turn after the last response, once it is certain that the
 * connection is still open. Work that starts immediately would delay the next request. Loading node:timers/promises
 * would take longer.
 */
export async function yieldToSocket(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
