import type { Clock } from "../../base/context/context.ts";
import { formatDuration } from "../../api/duration.ts";
import { fail, type Failure } from "../../base/failure.ts";
import { drift, type Moment, momentOf } from "../stream-options.ts";

/** How late a timer may fire on a busy machine, in milliseconds. */
const lateness = 10_000;
/** In milliseconds. A process that was stopped for longer than that has let bytes pile up. */
const noticed = 1000;
/** In milliseconds: three of the service's ping intervals (wire-facts 5.4) without data. */
const silence = 45_000;
/** The number of complete ticks without data after which a connection is given up, and the milliseconds of a tick. */
const [quietTicks, tick] = [9, silence / 9];
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

/**
 * Watches one open connection. Knows until when it was up to date: when all events that the service had sent had been
 * read. That is the case at the moment when a read finds an empty socket, provided that a ping or a data event follows.
 * Until then, the path may have been dead. Comments prove nothing, because a proxy sends them too.
 */
export class UpToDate {
  readonly opened: Moment;
  /** Changed by `read` alone, like the last sign of life. */
  until: Moment;
  received: Moment;
  /** When data or a ping last arrived; undefined until then, because an open connection alone proves nothing. */
  alive: Moment | undefined;
  readonly #clock: Pick<Clock, "now" | "elapsed" | "sleep">;
  readonly #done = new AbortController();
  /** The end of the last tick. */
  #ticked: Moment;
  #quiet = 0;
  /** When a read found the socket empty; undefined since the last sign of life. */
  #empty: Moment | undefined;
  /** When it was last checked whether the socket is empty, on the monotonic clock. */
  #looked = Number.NEGATIVE_INFINITY;
  /** Identifies the current read. Even between two reads. */
  #reads = 0;
  #isLookPlanned = false;
  /** When the socket was last found not to have been read for a while, on the monotonic clock. */
  #doubted = Number.NEGATIVE_INFINITY;
  /** When it was last noticed that the process had been stopped, on the monotonic clock. */
  #resumed = Number.NEGATIVE_INFINITY;
  /** Since when the reader of the output has been processing events, on the monotonic clock. */
  #delivering: number | undefined;

  constructor(clock: Pick<Clock, "now" | "elapsed" | "sleep">) {
    this.#clock = clock;
    this.opened = momentOf(clock);
    this.until = this.opened;
    this.received = this.opened;
    this.#ticked = this.opened;
  }

  /**
   * Calls `stop` if no data arrives for this long, if the machine was suspended (only the wall clock advanced, or the
   * timer fired far too late), or if the clock was set. Silence is measured in complete ticks without data, so it is
   * never detected too early, but may be detected up to a ninth too late.
   */
  async watch(stop: (failure: Failure) => void): Promise<void> {
    for (;;) {
      await this.#clock.sleep(tick, this.#done.signal);
      const { late, jumped } = this.#delay();
      this.#noticeStop();
      if (Math.abs(jumped) > drift) return stop(clockJump(jumped));
      if (late > lateness) return stop(clockJump(late));
      this.#ticked = momentOf(this.#clock);
      // While the consumer is slow, the socket is not read.
      this.#quiet = this.#delivering === undefined ? this.#quiet + 1 : 0;
      if (this.#quiet >= quietTicks) return stop(fail("timeout", noData(silence), { next: undefined }));
    }
  }

  release(): void {
    this.#done.abort();
  }

  /** The next read is about to begin. */
  reading(): void {
    this.#reads += 1;
    if (this.#empty !== undefined) return;
    const wait = this.#looked + precision - this.#clock.elapsed();
    if (wait <= 0) return this.#look();
    if (this.#isLookPlanned) return;
    // Events may always come in pairs, so the one that was just read must not be the reason for not looking.
    this.#isLookPlanned = true;
    const plan = (): void => {
      this.#isLookPlanned = false;
      this.#look();
    };
    setTimeout(plan, wait).unref();
  }

  #look(): void {
    const read = this.#reads;
    if (this.#empty !== undefined || read % 2 === 0) return;
    this.#looked = this.#clock.elapsed();
    // By the second turn of the event loop, a socket that is not empty has been read.
    setImmediate(() =>
      setImmediate(() => {
        if (read !== this.#reads) return;
        this.#noticeStop();
        this.#empty = momentOf(this.#clock);
      }),
    );
  }

  /** A read returned bytes. `isAlive` means that they include a ping or a data event. */
  read(isAlive: boolean, isHeard: boolean): void {
    this.#reads += 1;
    if (isHeard) [this.received, this.#quiet] = [momentOf(this.#clock), -1];
    if (!isAlive) return;
    this.alive = this.received;
    const empty = this.#empty;
    this.#empty = undefined;
    if (empty === undefined) return;
    const sinceDoubt = empty.elapsed - this.#doubted;
    const isDoubted = sinceDoubt >= 0 && sinceDoubt < settling;
    if (isDoubted && this.#clock.elapsed() - empty.elapsed < calm) return;
    this.until = empty;
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
    [this.#delivering, this.#quiet] = [undefined, -1];
  }

  /** Undefined unless an end at this moment loses events: nothing was received for too long, or events are waiting. */
  blindAt(at: Moment): { readonly from: Moment; readonly reason: string } | undefined {
    this.#noticeStop();
    const from = this.until;
    if (at.elapsed - (this.#delivering ?? at.elapsed) > longestDelivery)
      return { from, reason: "the program that reads the output is blocked" };
    const quiet = at.elapsed - this.received.elapsed;
    if (quiet > longestQuiet) return { from, reason: noData(Math.floor(quiet / 1000) * 1000) };
    const isUnread = at.elapsed - this.#resumed < settling && from.elapsed < this.#resumed;
    return isUnread ? { from, reason: "this process or this machine was stopped for a while" } : undefined;
  }

  /**
   * Whether the process was just stopped for a few seconds. When it continues, bytes buffered by the system arrive before
   * any timer fires.
   */
  #noticeStop(): void {
    const { late, jumped } = this.#delay();
    if (late <= noticed && Math.abs(jumped) <= drift) return;
    this.doubt();
    // If only the clock was set back, the process was not stopped.
    if (late > noticed || jumped > drift) this.#resumed = this.#doubted;
  }

  /** How much later than expected it is, on the clock and on the wall clock alone. */
  #delay() {
    const at = momentOf(this.#clock);
    const passed = at.elapsed - this.#ticked.elapsed;
    const jumped = at.now - this.#ticked.now - passed;
    return { late: passed - tick, jumped };
  }
}

function noData(milliseconds: number): string {
  return `no data for ${formatDuration(milliseconds)}, not even a ping`;
}

function clockJump(milliseconds: number): Failure {
  const jump = formatDuration(Math.round(Math.abs(milliseconds) / 1000) * 1000);
  const message =
    milliseconds > 0
      ? `this machine was suspended for ${jump}, or its clock was set forward`
      : `this machine's clock was set back by ${jump}`;
  return fail("clock_jump", message, { next: undefined });
}
