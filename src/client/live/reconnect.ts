import { reconnectWait } from "../retry.ts";
import type { Failure } from "../../base/failure.ts";

/** A client must not reconnect after this status (WHATWG HTML, Server-sent events). */
export const endedForGood = 204;

/**
 * The service, or a proxy that requires a password, sends these intentionally and would send them again. All other
 * statuses (408, a redirect, a proxy's error page) come from an intermediary and are transient.
 */
export const permanentStatuses: ReadonlySet<number> = new Set([204, 400, 401, 402, 403, 404, 405, 407, 410]);

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
