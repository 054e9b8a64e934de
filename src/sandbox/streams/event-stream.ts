import type { Account } from "../accounts.ts";
import { dataFrame, errorFrame, pingFrame, type StreamEvent } from "./stream-event.ts";

/** Where a stream's frames go; a socket, or a test's list. */
export interface StreamSink {
  readonly write: (frame: string) => void;
  /** Bytes the reader has not taken yet. */
  readonly queued: () => number;
  /** After what is queued, if the reader takes it soon. */
  readonly end: () => void;
}

// A reader that stops reading must not make the sandbox grow: so much may wait for it, and an `error` follows.
const MOST_QUEUED = 1024 * 1024;

/** One open stream: what it is sent, what that costs, and when it is over. */
export class EventStream {
  readonly #account: Account;
  readonly #sink: StreamSink;
  readonly #onOver: () => void;
  #left: number;
  #isOver = false;

  /** @param limit data events after which it ends; pings do not count (wire-facts 5.2) */
  constructor(account: Account, limit: number, sink: StreamSink, onOver: () => void) {
    this.#account = account;
    this.#left = limit;
    this.#sink = sink;
    this.#onOver = onOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Specification, Limits: 1 credit per streamed update. `now`: unix seconds of the simulated clock. */
  deliver(event: StreamEvent, requestId: number, now: number): void {
    if (this.#isOver) return;
    const { credits } = this.#account;
    if (!credits.canPay(1, now)) return this.fail("credits are used up");
    credits.charge(1, now);
    this.#left -= 1;
    this.#write(dataFrame(event, requestId));
    if (this.#left === 0) this.#finish();
  }

  ping(time: number): void {
    if (!this.#isOver) this.#write(pingFrame(time));
  }

  /** Specification, Events 2. */
  fail(message: string): void {
    if (this.#isOver) return;
    this.#sink.write(errorFrame(message));
    this.#finish();
  }

  /** Whether the reader lags behind what is sent. */
  isCrowded(): boolean {
    return !this.#isOver && this.#sink.queued() > MOST_QUEUED / 4;
  }

  /** The reader is gone. */
  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
  }

  #write(frame: string): void {
    this.#sink.write(frame);
    if (this.#sink.queued() > MOST_QUEUED) this.fail("the stream is read too slowly");
  }

  #finish(): void {
    if (this.#isOver) return;
    this.drop();
    this.#sink.end();
  }
}
