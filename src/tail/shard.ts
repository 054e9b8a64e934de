import type { Connection } from "../client/streams/connection.ts";
import type { StreamEvent } from "../client/streams/stream-event.ts";
import type { Context } from "../context/context.ts";
import { Failure } from "../contract/failure.ts";
import { listen } from "./listen.ts";
import { permanentStatuses, reconnectWait } from "./reconnect.ts";
import {
  type Moment,
  momentOf,
  type OpenShard,
  type ShardHandlers,
  type ShardLimits,
} from "./shard-handlers.ts";

/** What stands in between says so of a request that came too slowly. */
const requestTimeout = 408;

/**
 * Milliseconds for which a connection with data has to be open to count as sound. Without that, a service that closes each
 * connection after one event would be reconnected every second for ever, at a credit each.
 */
const soundAfter = 30_000;

/** Three pings of the service (wire-facts 5.4). */
export const defaultSilence = 45_000;

/**
 * Keeps one stream open for ever: ends only by throwing, the signal's reason when that aborts, what a handler threw, or
 * the Failure that no further connection would change (204, 400, 401, 402, 403, 404, 410, "token not found" in the
 * stream, `maxReconnects`, a wait that is too long; before it was open, a host or an answer that is none). Everything else leads to a new connection: 408,
 * 429, 5xx, faults of the line, silence, an `error` event, an end by the service, a machine that was suspended.
 */
export async function keepOpen(
  context: Pick<Context, "clock" | "random">,
  open: OpenShard,
  handlers: ShardHandlers,
  limits: ShardLimits,
  signal: AbortSignal,
): Promise<never> {
  const { clock, random } = context;
  /** Connections in a row that failed, or ended without data. */
  let attempts = 0;
  /** The same, including connections with data that ended soon. The waits grow with this number. */
  let unsound = 0;
  /** Milliseconds of the stream's last `retry` field: the least wait. */
  let least: number | undefined;
  let lost: { readonly from: Moment; readonly reason: string } | undefined;
  let newest: StreamEvent | undefined;
  let lastEventId = "";
  let wasOpen = false;

  for (;;) {
    const attempt = await tryToOpen(open, lastEventId, signal);
    let failure: Failure;
    if (attempt instanceof Failure) failure = attempt;
    else {
      wasOpen = true;
      const at = momentOf(clock);
      handlers.opened(at, lost === undefined ? undefined : { ...lost, to: at });
      const heard = await listen(clock, attempt, { handlers, limits, signal, newest });
      failure = heard.failure;
      newest = heard.lastEventId === "" ? undefined : heard.newest;
      lastEventId = limits.feed.hasTimeIds ? String(newest?.id ?? "") : (heard.lastEventId ?? lastEventId);
      least = heard.retry ?? least;
      if (heard.hasData) {
        attempts = 0;
        if (clock.elapsed() - at.elapsed >= soundAfter) unsound = 0;
      }
      lost = { from: heard.last, reason: failure.message };
      handlers.lost?.(heard.last, failure);
    }
    attempts += 1;
    unsound += 1;
    if (!isRetried(failure, wasOpen || limits.isHostKnown?.() === true)) throw failure;
    if (limits.isFinal?.(failure, attempts) === true) throw failure;
    if (limits.maxReconnects !== undefined && attempts > limits.maxReconnects)
      throw givenUp(failure, limits.maxReconnects);
    const wait = reconnectWait(unsound, failure, random(), least);
    handlers.retrying(failure, wait);
    await clock.sleep(wait, signal);
  }
}

async function tryToOpen(
  open: OpenShard,
  lastEventId: string,
  signal: AbortSignal,
): Promise<Connection | Failure> {
  try {
    signal.throwIfAborted();
    return await open(lastEventId, signal);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof Failure) return cause;
    throw cause;
  }
}

/** A host that was there once will be there again, whatever a look-up, or an answer that is not its own, says just now. */
function isRetried({ details: { status, retryable }, exit }: Failure, isHostKnown: boolean): boolean {
  if (retryable === true || status === requestTimeout || (status ?? 0) >= 500) return true;
  const mayPass = status === undefined ? exit === 1 || exit === 7 : !permanentStatuses.has(status);
  return mayPass && isHostKnown;
}

function givenUp(failure: Failure, reconnects: number): Failure {
  const next = `given up after ${reconnects} further connections without data (--max-reconnects)`;
  return new Failure(failure.message, { ...failure.details, next });
}
