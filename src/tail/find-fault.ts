import type { Subject } from "../client/pages/page.ts";
import type { Connection } from "../client/streams/connection.ts";
import { EventStreamParser } from "../client/streams/event-stream.ts";
import { childOf } from "../context/child-signal.ts";
import type { Clock, Context } from "../context/context.ts";
import { Failure } from "../contract/failure.ts";
import { findInvalid, mayBeOfOneAsset, type Probe } from "./find-invalid.ts";
import { reconnectWait } from "./reconnect.ts";
import { nameOf, someOf } from "./shards.ts";
import { streamError } from "./stream-message.ts";
import { type Opening, openerOf, type Subscription } from "./subscription.ts";
import type { TailOptions } from "./tail-options.ts";

/** How the assets of one connection are tried. */
export interface Probing extends Opening {
  readonly subscriptionOf: (subjects: readonly Subject[]) => Subscription;
  readonly signal: AbortSignal;
  /** Events that came are paid for. */
  readonly charged: (events: number) => void;
}

/** The assets that a connection is refused for. Throws where none can be found, or where they are not to be left out. */
export async function findFault(
  context: Pick<Context, "clock" | "random">,
  probing: Probing,
  { onInvalid, suspects }: Pick<TailOptions, "onInvalid" | "suspects">,
  subjects: readonly Subject[],
  refused: Failure,
): Promise<{ readonly invalid: readonly Subject[]; readonly failure: Failure }> {
  if (!mayBeOfOneAsset(refused)) throw refused;
  const isSaidInStream = refused.details.status === undefined;
  const invalid = await findInvalid(subjects, refused, probeOf(context, probing, isSaidInStream), suspects);
  if (invalid.length === 0) throw refused;
  const failure = invalidAssets(invalid, refused);
  if (onInvalid === "fail") throw failure;
  return { invalid, failure };
}

/** Names the assets that a refusal is for; its status decides the exit code. */
function invalidAssets(invalid: readonly Subject[], refused: Failure): Failure {
  const names = invalid.map(nameOf);
  const which = names.length === 1 ? `${names[0]}` : `${names.length} assets: ${someOf(names)}`;
  return new Failure(`the service does not stream ${which}`, {
    ...refused.details,
    next: "look the address up with dexdata search <address>, or go on without: --on-invalid drop",
    body: new Map([...(refused.details.body ?? []), ["assets_invalid", JSON.stringify(names)]]),
  });
}

/** A probe that meets a fault of another kind tries again so often, and then gives that fault up as its answer. */
const tries = 5;

/** Milliseconds for a service that says in the stream itself what it does not know. */
const listening = 2000;

/**
 * Opens a stream for no longer than it takes to learn whether it may be. `isSaidInStream`: what is looked for was refused
 * in an open stream: that it opens says nothing.
 */
function probeOf(
  { clock, random }: Pick<Context, "clock" | "random">,
  probing: Probing,
  isSaidInStream: boolean,
): Probe {
  const { subscriptionOf, signal } = probing;
  return async (subjects) => {
    const open = openerOf(probing, subscriptionOf(subjects));
    for (let attempt = 1; ; attempt += 1) {
      try {
        const connection = await open("", signal);
        if (isSaidInStream) return await firstWord(clock, connection, subscriptionOf(subjects), probing);
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
