import type { Account } from "../service/accounts.ts";
import { type JsonObject, writeJson } from "../wire/json-writer.ts";

export interface StreamSink {
  readonly write: (frame: string) => void;
  /** The number of bytes that the reader has not yet received. */
  readonly queued: () => number;
  /** Closes the connection after the queued bytes are sent, or after a timeout. */
  readonly end: () => void;
}

// Limits memory if a reader stops reading. If more bytes are queued, the stream ends with an `error` event.
const MOST_QUEUED = 1024 * 1024;

export class EventStream {
  readonly owner: string;
  readonly #account: Account;
  readonly #sink: StreamSink;
  readonly #onOver: () => void;
  #left: number;
  #isOver = false;

  /**
   * `owner` is to whom the stream counts. `limit` is the number of data events after which it ends. Pings do not count
   * (wire-facts 5.2).
   */
  constructor(account: Account, owner: string, limit: number, sink: StreamSink, onOver: () => void) {
    this.owner = owner;
    this.#account = account;
    this.#left = limit;
    this.#sink = sink;
    this.#onOver = onOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Specification, Limits: each streamed update costs 1 credit. `now` is in Unix seconds on the simulated clock. */
  deliver(event: StreamEvent, requestId: number, now: number): void {
    if (this.#isOver) return;
    const { credits } = this.#account;
    if (!credits.canPay(1, now)) return this.fail("credits are used up");
    credits.charge(1, now);
    this.#left -= 1;
    this.#write(`${event.lines}request_id: ${requestId}\n\n`);
    if (this.#left === 0) this.#finish();
  }

  ping(time: number): void {
    // Frames that cost no credits do not have `request_id:` (wire-facts 5.4).
    if (!this.#isOver) this.#write(`event: ping\ndata: {"time":${time}}\n\n`);
  }

  fail(message: string): void {
    if (this.#isOver) return;
    this.#sink.write(errorFrame(message));
    this.#finish();
  }

  isCrowded(): boolean {
    return !this.#isOver && this.#sink.queued() > MOST_QUEUED / 4;
  }

  /** Ends the stream without a frame, because the reader has disconnected. */
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

/** Created once for all subscribers. */
export interface StreamEvent {
  /** Unix seconds on the simulated clock. */
  readonly at: number;
  /** Without `request_id:`, which is different for each subscriber. */
  readonly lines: string;
  /** A candle's timestamp; undefined for other events. */
  readonly id: number | undefined;
}

/** Returns events with from < at <= to, in chronological order. The same arguments always return the same events. */
export type EventSource = (from: number, to: number) => readonly StreamEvent[];

/** Wire-facts 5.4: `data:` is a single line, because JSON escapes line breaks. Only candles have an `id:`. */
export function makeEvent(name: string, at: number, payload: JsonObject, id?: number): StreamEvent {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return { at, id, lines: `event: ${name}\ndata: ${writeJson(payload)}\n${idLine}` };
}

/** Specification, Events 2: the stream ends after this frame. */
export function errorFrame(message: string): string {
  return `event: error\ndata: ${writeJson({ message })}\n\n`;
}
