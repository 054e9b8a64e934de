import type { Account } from "../accounts.ts";
import { type JsonObject, writeJson } from "../json-writer.ts";

/** The destination of a stream's frames: a socket, or a test's list. */
export interface StreamSink {
  readonly write: (frame: string) => void;
  /** Bytes the reader has not received yet. */
  readonly queued: () => number;
  /** Ends after the queued bytes, if the reader receives them soon. */
  readonly end: () => void;
}

// A reader that stops reading must not make the sandbox grow: beyond this many bytes, the stream ends with an `error`.
const MOST_QUEUED = 1024 * 1024;

/** One open stream: its frames, their cost, and its end. */
export class EventStream {
  readonly #account: Account;
  readonly #sink: StreamSink;
  readonly #onOver: () => void;
  #left: number;
  #isOver = false;

  /** `limit`: data events after which it ends; pings do not count (wire-facts 5.2). */
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

  /** Ends the stream without a frame: the reader has left. */
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

/** One update, made once for all subscribers of its subject. */
export interface StreamEvent {
  /** Unix seconds of the simulated clock at which it is sent. */
  readonly at: number;
  /** The frame's lines without `request_id:`, which differs by subscriber. */
  readonly lines: string;
  /** Candles only: their timestamp. */
  readonly id: number | undefined;
}

/** The events with from < at <= to, in order of time: always the same for the same arguments. */
export type EventSource = (from: number, to: number) => readonly StreamEvent[];

/** Wire-facts 5.4: `data:` is one line, since JSON escapes line breaks; `id:` stands on candles only. */
export function makeEvent(name: string, at: number, payload: JsonObject, id?: number): StreamEvent {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return { at, id, lines: `event: ${name}\ndata: ${writeJson(payload)}\n${idLine}` };
}

function dataFrame(event: StreamEvent, requestId: number): string {
  return `${event.lines}request_id: ${requestId}\n\n`;
}

/** Frames that no credit is charged for have no `request_id:` (wire-facts 5.4). */
function pingFrame(time: number): string {
  return `event: ping\ndata: {"time":${time}}\n\n`;
}

/** Specification, Events 2: after it, the stream ends. */
export function errorFrame(message: string): string {
  return `event: error\ndata: ${writeJson({ message })}\n\n`;
}
