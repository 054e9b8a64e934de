import type { Subject } from "../client/batches.ts";
import type { Connection } from "../client/streams/connection.ts";
import { EventStreamParser } from "../client/streams/event-stream-parser.ts";
import type { Clock, Context } from "../context/context.ts";
import { Failure } from "../contract/failure.ts";
import { childOf } from "../context/child-signal.ts";
import type { Probe } from "./find-invalid.ts";
import { reconnectWait } from "./reconnect-wait.ts";
import { streamError } from "./stream-message.ts";
import { type Opening, openerOf, type Subscription } from "./subscription.ts";

/** A probe that meets a fault of another kind tries again so often, and then gives that fault up as its answer. */
const tries = 5;

/** Milliseconds for a service that says in the stream itself what it does not know. */
const listening = 2000;

export interface Probing {
  readonly subscriptionOf: (subjects: readonly Subject[]) => Subscription;
  readonly signal: AbortSignal;
  /** What is looked for was refused in an open stream: that it opens says nothing. */
  readonly isSaidInStream: boolean;
  /** Events that came are paid for. */
  readonly charged: (events: number) => void;
}

/** Opens a stream for no longer than it takes to learn whether it may be. */
export function probeOf(
  { clock, random }: Pick<Context, "clock" | "random">,
  opening: Opening,
  probing: Probing,
): Probe {
  const { subscriptionOf, signal } = probing;
  return async (subjects) => {
    const open = openerOf(opening, subscriptionOf(subjects));
    for (let attempt = 1; ; attempt += 1) {
      try {
        const connection = await open("", signal);
        if (probing.isSaidInStream)
          return await firstWord(clock, connection, subscriptionOf(subjects), probing);
        connection.close();
        return undefined;
      } catch (cause) {
        if (!(cause instanceof Failure) || signal.aborted) throw cause;
        if (cause.details.retryable !== true) return cause;
        if (attempt === tries) throw cause;
        await clock.sleep(reconnectWait(attempt, cause, random()), signal);
      }
    }
  };
}

/** What an open stream says against its assets: undefined once a single one has an event, or none of them is refused. */
async function firstWord(
  clock: Clock,
  connection: Connection,
  { feed, subjects }: Subscription,
  { signal, charged }: Probing,
): Promise<Failure | undefined> {
  const over = childOf(signal);
  over.signal.addEventListener("abort", connection.close, { once: true });
  clock.sleep(listening, over.signal).then(over.abort, () => undefined);
  const parser = new EventStreamParser();
  try {
    for await (const chunks of connection.chunks) {
      const events = chunks.flatMap((chunk) => parser.push(chunk));
      const data = events.filter(({ name }) => feed.events.has(name)).length;
      if (data > 0) charged(data);
      const error = events.find(({ name }) => name === "error");
      if (error !== undefined) return streamError(error);
      if (data > 0 && subjects.length === 1) return undefined;
    }
    return undefined;
  } catch (cause) {
    signal.throwIfAborted();
    if (over.signal.aborted) return undefined;
    throw cause;
  } finally {
    over.abort("heard");
    over.release();
  }
}
