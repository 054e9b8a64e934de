import type { Connection } from "../client/streams/connection.ts";
import type { StreamEvent } from "../client/streams/received-event.ts";
import type { Context } from "../context/context.ts";
import { Failure } from "../contract/failure.ts";
import type { Feed } from "./feeds.ts";
import { lastingRefusals } from "./lasting-refusals.ts";
import { listen } from "./listen.ts";
import { type Moment, momentOf } from "./moment.ts";
import { reconnectWait } from "./reconnect-wait.ts";

export type { Moment };

/** A time in which events may have been missed. */
export interface Gap {
  /** The last byte that came. */
  readonly from: Moment;
  /** The stream was open again. */
  readonly to: Moment;
  /** Why the connection was given up. */
  readonly reason: string;
}

/** What the keeper of one connection tells. */
export interface ShardHandlers {
  /** Also after an interruption, with the gap that it left. */
  readonly opened: (at: Moment, gap: Gap | undefined) => void;
  /** Data events of one chunk, in order. Awaited: a consumer that is slow slows the socket. What it throws ends all. */
  readonly events: (events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /** So many data events came: what the service counts as credits, also where one of them is not handed on. */
  readonly charged?: (events: number) => void;
  /** An open connection is gone, for good or not; `since` as in the gap that this begins. */
  readonly lost?: (since: Moment, failure: Failure) => void;
  /** The connection is gone, or was not to be had, and will be tried again after the wait. */
  readonly retrying: (failure: Failure, waitMilliseconds: number) => void;
  /** What the service says besides data, for people; untrusted text. */
  readonly said: (kind: "warning" | "error" | "unknown", text: string) => void;
}

export interface ShardLimits {
  /** Events of other names than the feed's carry no data: they never end the stream, and are not handed on. */
  readonly feed: Pick<Feed, "events" | "hasTimeIds">;
  /** Milliseconds without a byte after which the connection is given up. */
  readonly silence: number;
  /** Connections in a row without a data event, after the first, before it is given up; undefined for any number. */
  readonly maxReconnects: number | undefined;
  /** Bytes of the largest event, where users set it; else the parser's own 1 MiB. Larger ones are skipped. */
  readonly largestEvent?: number;
  /** Whether others have found the host: then it is there, whatever a look-up says just now. */
  readonly isHostKnown?: () => boolean;
  /** Failures that could be tried again, but end it here: by what has been tried. */
  readonly isFinal?: (failure: Failure, tried: Tried) => boolean;
}

export interface Tried {
  /** Connections in a row that failed, or ended without data. */
  readonly attempts: number;
  /** It was open once. */
  readonly wasOpen: boolean;
}

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
 * Opens the stream once. `lastEventId` is where to go on, "" where the stream has no ids. Throws a Failure when it is
 * refused or the line fails.
 */
export type OpenShard = (lastEventId: string, signal: AbortSignal) => Promise<Connection>;

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
    if (limits.isFinal?.(failure, { attempts, wasOpen }) === true) throw failure;
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
  const mayPass = status === undefined ? exit === 1 || exit === 7 : !lastingRefusals.has(status);
  return mayPass && isHostKnown;
}

function givenUp(failure: Failure, reconnects: number): Failure {
  const next = `given up after ${reconnects} further connections without data (--max-reconnects)`;
  return new Failure(failure.message, { ...failure.details, next });
}
