import type { StreamEvent } from "../stream-event.ts";
import type { Context } from "../../base/context/context.ts";
import { Failure } from "../../base/failure.ts";
import { type ConnectionHandlers, listen } from "./listen.ts";
import { counted } from "../../base/text/words.ts";
import { asErrorPage, isOfIntermediary, isPermanent, reconnectWait } from "../retry.ts";
import type { OpenConnection } from "./subscription.ts";
import { UpToDate } from "./up-to-date.ts";
import { gapBetween, type Moment, type ConnectionOptions } from "../stream-options.ts";

/** A proxy or gateway sends this status if a request arrived too slowly. */
const requestTimeout = 408;

/**
 * Keeps a stream open. It ends only by throwing: the signal's reason, an error from a handler, or a Failure that
 * another connection would not fix (204, 400, 401, 402, 403, 404, 410, "token not found" in the stream,
 * `maxReconnects`, a wait that is too long, and, before the first opening, a missing host or an invalid response). All
 * other failures lead to a new connection: 408, 429, 5xx, connection errors, silence, an `error` event, a stream that
 * the service ends, and a suspended machine.
 */
export async function keepOpen(
  context: Pick<Context, "clock" | "random">,
  open: OpenConnection,
  handlers: ConnectionHandlers,
  limits: ConnectionOptions,
  signal: AbortSignal,
  waits = new Waits(),
): Promise<never> {
  const { clock, random } = context;
  let lost: { readonly from: Moment; readonly reason: string } | undefined;
  let newest: StreamEvent | undefined;
  let lastEventId = "";
  let wasOpen = false;
  let hasPings = false;

  for (;;) {
    signal.throwIfAborted();
    const attempt = await open(lastEventId, signal).catch((cause: unknown) => {
      if (signal.aborted) throw signal.reason;
      if (cause instanceof Failure) return cause;
      throw cause;
    });
    let failure: Failure;
    if (attempt instanceof Failure)
      failure = wasOpen || limits.isHostKnown() ? asErrorPage(attempt) : attempt;
    else {
      wasOpen = true;
      const upToDate = new UpToDate(clock);
      const { opened: at } = upToDate;
      waits.opened(at.elapsed);
      handlers.opened(at, lost && gapBetween(lost.from, at, lost.reason), upToDate);
      const listening = { handlers, limits, signal, newest, hasPings, upToDate };
      const heard = await listen(clock, attempt, listening);
      failure = heard.failure;
      ({ hasPings } = heard);
      newest = heard.lastEventId === "" ? undefined : heard.newest;
      lastEventId = limits.feed.hasTimeIds ? String(newest?.id ?? "") : (heard.lastEventId ?? lastEventId);
      waits.ended(clock.elapsed(), heard.hasData, heard.retry);
      lost = { from: upToDate.until, reason: failure.message };
      handlers.lost(lost.from, failure);
    }
    waits.attempts += 1;
    const { attempts } = waits;
    if (!isRetried(failure, wasOpen || limits.isHostKnown())) throw failure;
    if (limits.isFinal(failure, attempts)) throw failure;
    const { maxReconnects = Number.POSITIVE_INFINITY } = limits;
    if (attempts > maxReconnects) {
      const next = `stopped after ${counted(maxReconnects, "reconnect")} without data (--max-reconnects)`;
      throw new Failure(failure.message, { ...failure.details, next });
    }
    const wait = waits.after(failure, random());
    handlers.retrying(failure, wait);
    await clock.sleep(wait, signal);
  }
}

/**
 * A host that was reached once is expected to come back, even if a DNS lookup fails now or another server responds in
 * its place. Then only the service itself, in its own form, can refuse a connection permanently.
 */
function isRetried(failure: Failure, isHostKnown: boolean): boolean {
  const { details, exit } = failure;
  const { status, retryable, isOutage } = details;
  if (status === requestTimeout || (status ?? 0) >= 500) return true;
  // A host name that does not exist may be misspelled.
  if (retryable === true && isOutage !== true) return true;
  if (status === undefined) return isHostKnown && (exit === 1 || exit === 7 || isOfIntermediary(failure));
  return isHostKnown && !isPermanent(failure, true);
}

/** A client must not reconnect after this status (WHATWG HTML, Server-sent events). */
export const endedForGood = 204;

/** In milliseconds. A connection that ends sooner gains nothing. */
const shortestLife = 1000;
/** Milliseconds after which a connection with data is sound. */
const soundAfter = 10_000;
/** A connection that soon ends again is opened at most this often in a minute. */
const maxOpenings = 6;
const minute = 60_000;
/** Connections with data that soon end may let the waits grow up to this number. */
const maxUnsound = 4;

/**
 * How long a connection waits before it is opened again. Survives a change of its assets, so that reloads do not reset
 * the waits. A balancer may end each sound connection after a while, so the waits after a connection with data are short
 * compared with its life, and a minute has at most six openings.
 */
export class Waits {
  /** Consecutive connections that failed or ended without data. */
  attempts = 0;
  /** Like `attempts`, but includes connections that ended too soon. The waits grow with this number. */
  #unsound = 0;
  /** The minimum wait in milliseconds, from the stream's last `retry` field. */
  #least: number | undefined;
  /** The longest wait in milliseconds after a connection with data. */
  #most: number | undefined;
  /** The shortest one, which keeps the openings of a minute few. */
  #free = 0;
  /** On the monotonic clock. */
  #openings: readonly number[] = [];

  opened(elapsed: number): void {
    this.#openings = [...this.#openings, elapsed].slice(-maxOpenings);
  }

  ended(elapsed: number, hasData: boolean, retry: number | undefined): void {
    this.#least = retry ?? this.#least;
    if (!hasData) return;
    const life = elapsed - (this.#openings.at(-1) ?? elapsed);
    this.attempts = 0;
    // Each opening may cost credits.
    if (life < shortestLife) return;
    this.#unsound = life >= soundAfter ? 0 : Math.min(this.#unsound, maxUnsound);
    this.#most = Math.max(soundAfter - life, shortestLife);
    const [oldest] = this.#openings;
    const isBusy = oldest !== undefined && this.#openings.length === maxOpenings;
    this.#free = isBusy ? oldest + minute - elapsed : 0;
  }

  /** The wait in milliseconds after this failure; see `reconnectWait`. */
  after(failure: Failure, random: number): number {
    this.#unsound += 1;
    const [most, free] = [this.#most, this.#free];
    [this.#most, this.#free] = [undefined, 0];
    return reconnectWait(this.#unsound, failure, random, Math.max(this.#least ?? 0, free), most);
  }
}
