import { isWaitTooLong, waitTooLong } from "../response/retry-after.ts";
import type { Failure } from "../../base/failure.ts";

/** A client must not reconnect after this status (WHATWG HTML, Server-sent events). */
export const endedForGood = 204;

/**
 * The service, or a proxy that requires a password, sends these intentionally and would send them again. All other
 * statuses (408, a redirect, a proxy's error page) come from an intermediary and are transient.
 */
export const permanentStatuses: ReadonlySet<number> = new Set([204, 400, 401, 402, 403, 404, 405, 407, 410]);

/** Milliseconds, without jitter. */
const [first, longest] = [1000, 60_000];

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
    // Each opening may cost credits, and nothing is gained by one that ends at once.
    if (life < first) return;
    this.#unsound = life >= soundAfter ? 0 : Math.min(this.#unsound, maxUnsound);
    this.#most = Math.max(soundAfter - life, first);
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

/**
 * The wait in milliseconds after this many consecutive failures: 1, 2, 4 … 60 s, plus up to half of that as jitter, but
 * never less than the service requests or than `least`, the stream's `retry` field. `most` limits it before the jitter. Rounded up to tenths of a second,
 * or to full seconds from ten seconds on, so messages and `--events` show the same number. `random` is in [0, 1).
 * Throws if the requested wait is too long.
 */
export function reconnectWait(
  attempt: number,
  failure: Failure,
  random: number,
  least = 0,
  most = longest,
): number {
  if (isWaitTooLong(failure)) throw waitTooLong(failure);
  const backoff = Math.min(first * 2 ** Math.min(attempt - 1, 16), longest, most) * (1 + random / 2);
  const { retryAfter } = failure.details;
  // Wait slightly longer: timers may fire a millisecond early, and processes should not all reconnect at once.
  const requested = retryAfter === undefined ? 0 : retryAfter + 20 + random * 250;
  const wait = Math.max(backoff, requested, Math.min(least, longest));
  const step = wait < 10_000 ? 100 : 1000;
  return Math.ceil(wait / step) * step;
}
