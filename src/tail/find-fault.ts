import type { Subject } from "../client/pages/page.ts";
import type { Connection } from "../client/streams/connection.ts";
import { EventStreamParser } from "../client/streams/event-stream.ts";
import type { Context } from "../context/context.ts";
import { Failure } from "../contract/failure.ts";
import { createEnding } from "./ending.ts";
import { findInvalid, mayBeOfOneAsset, type Probe } from "./find-invalid.ts";
import { reconnectWait } from "./reconnect.ts";
import type { TailOptions } from "./shard-handlers.ts";
import { nameOf, someOf } from "./shards.ts";
import { streamError } from "./stream-message.ts";
import { type Opening, openerOf } from "./subscription.ts";

/** What a probe needs to open a stream of some assets. */
export interface Probing {
  readonly context: Pick<Context, "clock" | "random">;
  readonly opening: Opening;
  readonly options: TailOptions;
  readonly signal: AbortSignal;
  /** Receives the number of events, each of which costs a credit. */
  readonly charged: (events: number) => void;
}

/** Finds the assets that the service rejects a connection for. Throws if there are none, or if `onInvalid` is "fail". */
export async function findFault(
  probing: Probing,
  subjects: readonly Subject[],
  refused: Failure,
): Promise<{ readonly invalid: readonly Subject[]; readonly failure: Failure }> {
  const { onInvalid, suspects } = probing.options;
  if (!mayBeOfOneAsset(refused)) throw refused;
  const isSaidInStream = refused.details.status === undefined;
  const invalid = await findInvalid(subjects, refused, probeOf(probing, isSaidInStream), suspects);
  if (invalid.length === 0) throw refused;
  const failure = invalidAssets(invalid, refused);
  if (onInvalid === "fail") throw failure;
  return { invalid, failure };
}

/** Names the assets that caused a rejection; its status decides the exit code. */
function invalidAssets(invalid: readonly Subject[], refused: Failure): Failure {
  const names = invalid.map(nameOf);
  const which = names.length === 1 ? `${names[0]}` : `${names.length} assets: ${someOf(names)}`;
  return new Failure(`the service does not stream ${which}`, {
    ...refused.details,
    next: "look the address up with dexdata search <address>, or go on without: --on-invalid drop",
    body: new Map([...(refused.details.body ?? []), ["assets_invalid", JSON.stringify(names)]]),
  });
}

/** Attempts of a probe that fails for another reason. The last failure is thrown. */
const tries = 5;

/** Milliseconds for a service that reports an unknown asset inside the stream. */
const listening = 2000;

/**
 * Opens a stream just long enough to learn whether the service accepts it. `isSaidInStream`: the rejection came from an
 * open stream, so a successful opening proves nothing.
 */
function probeOf(probing: Probing, isSaidInStream: boolean): Probe {
  const { context, opening, options, signal } = probing;
  return async (subjects) => {
    const open = openerOf(opening, { ...options, subjects });
    for (let attempt = 1; ; attempt += 1) {
      try {
        const connection = await open("", signal);
        if (isSaidInStream) return await errorInStream(connection, subjects.length === 1, probing);
        connection.close();
        return undefined;
      } catch (cause) {
        if (!(cause instanceof Failure) || signal.aborted) throw cause;
        if (cause.details.retryable !== true) return cause;
        if (attempt === tries) throw cause;
        await context.clock.sleep(reconnectWait(attempt, cause, context.random()), signal);
      }
    }
  };
}

/** Returns the error that an open stream reports; undefined if it reports none in time, or if a single asset has an event. */
async function errorInStream(
  connection: Connection,
  isSingle: boolean,
  { context, options, signal, charged }: Probing,
): Promise<Failure | undefined> {
  const ending = createEnding(context.clock, signal, listening);
  ending.signal.addEventListener("abort", connection.close, { once: true });
  const parser = new EventStreamParser();
  try {
    for await (const chunks of connection.chunks) {
      const events = chunks.flatMap((chunk) => parser.push(chunk));
      const data = events.filter(({ name }) => options.feed.events.has(name)).length;
      if (data > 0) charged(data);
      const error = events.find(({ name }) => name === "error");
      if (error !== undefined) return streamError(error);
      if (data > 0 && isSingle) return undefined;
    }
    return undefined;
  } catch (cause) {
    signal.throwIfAborted();
    if (ending.signal.aborted) return undefined;
    throw cause;
  } finally {
    ending.end("heard");
    ending.release();
  }
}
