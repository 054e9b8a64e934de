import type { Clock } from "../../base/context/context.ts";
import { formatDuration } from "../../api/duration.ts";
import { type Moment, momentOf } from "../gap.ts";

/** In milliseconds: one of the service's ping intervals (wire-facts 5.4), and 5 s more. */
const longestQuiet = 20_000;
/** Milliseconds after which a reader of the output that accepts nothing delays the stream. */
const longestDelivery = 1000;
/**
 * In milliseconds. After the socket was not read for a while, the sender may still hold events although the socket is
 * empty. The connection is trusted again once it was quiet for `calm`, or was read for `settling`.
 */
const [calm, settling] = [250, 2000];
/** In milliseconds. More exact times would cost more than they are worth on a busy connection. */
const precision = 100;

export interface Blind {
  readonly from: Moment;
  readonly reason: string;
}

/**
 * Knows until when a connection was up to date: when all events that the service had sent had been read. That is the
 * case at the moment when a read finds an empty socket, provided that a ping or a data event follows. Until then, the
 * path may have been dead. Comments prove nothing, because a proxy sends them too.
 */
export class UpToDate {
  readonly #clock: Pick<Clock, "now" | "elapsed">;
  readonly #isLate: () => boolean;
  #until: Moment;
  /** When a read found the socket empty; undefined since the last sign of life. */
  #empty: Moment | undefined;
  /** When it was last checked whether the socket is empty, on the monotonic clock. */
  #looked = Number.NEGATIVE_INFINITY;
  /** Identifies the current read. */
  #reads = 0;
  /** When the socket was last found not to have been read for a while, on the monotonic clock. */
  #doubted = Number.NEGATIVE_INFINITY;
  /** The last sign of life. */
  received: Moment;
  readonly opened: Moment;
  /** Since when the reader of the output has been processing events, on the monotonic clock. */
  #delivering: number | undefined;

  /** `isLate` returns true if the process has just been stopped for a while. */
  constructor(clock: Pick<Clock, "now" | "elapsed">, opened: Moment, isLate: () => boolean) {
    this.#clock = clock;
    this.#isLate = isLate;
    this.#until = opened;
    this.received = opened;
    this.opened = opened;
  }

  get until(): Moment {
    return this.#until;
  }

  /** The next read is about to begin. */
  reading(): void {
    this.#reads += 1;
    const elapsed = this.#clock.elapsed();
    if (this.#empty !== undefined || elapsed - this.#looked < precision) return;
    this.#looked = elapsed;
    const read = this.#reads;
    // By the second turn of the event loop, a socket that is not empty has been read.
    setImmediate(() =>
      setImmediate(() => {
        if (read !== this.#reads) return;
        if (this.#isLate()) this.doubt();
        this.#empty = momentOf(this.#clock);
      }),
    );
  }

  /** A read returned bytes. `isAlive` means that they include a ping or a data event. */
  read(isAlive: boolean, isHeard: boolean): void {
    this.#reads += 1;
    if (isHeard) this.received = momentOf(this.#clock);
    if (!isAlive) return;
    const empty = this.#empty;
    this.#empty = undefined;
    if (empty === undefined) return;
    const sinceDoubt = empty.elapsed - this.#doubted;
    const isDoubted = sinceDoubt >= 0 && sinceDoubt < settling;
    if (isDoubted && this.#clock.elapsed() - empty.elapsed < calm) return;
    this.#until = empty;
  }

  /** The socket was not read for a while: the queue was full, or the process was stopped. */
  doubt(): void {
    this.#doubted = this.#clock.elapsed();
  }

  /** Events are being passed on until `delivered` is called. */
  delivering(): void {
    this.#delivering = this.#clock.elapsed();
  }

  delivered(): void {
    this.#delivering = undefined;
  }

  /** Undefined unless an end at this moment loses events: nothing was received for too long, or events are waiting. */
  blindAt(at: Moment): Blind | undefined {
    const from = this.#until;
    if (this.#delivering !== undefined)
      return at.elapsed - this.#delivering > longestDelivery
        ? { from, reason: "the program that reads the output is blocked" }
        : undefined;
    const quiet = at.elapsed - this.received.elapsed;
    if (quiet <= longestQuiet) return undefined;
    const time = formatDuration(Math.floor(quiet / 1000) * 1000);
    return { from, reason: `no data for ${time}, not even a ping` };
  }
}
