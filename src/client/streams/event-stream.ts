import { createByteStore } from "./byte-store.ts";
import { EventBuilder } from "./event-builder.ts";
import type { StreamEvent } from "./stream-event.ts";

/** Bytes of one line or one event: no event of the service comes near. */
const mostBytes = 1024 * 1024;
const [LF, CR, COLON] = [0x0a, 0x0d, 0x3a];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const noEvents: readonly StreamEvent[] = [];

/**
 * The event-stream format of the WHATWG HTML standard (Server-sent events, parsing and interpreting an event stream),
 * without I/O. It works on bytes: all syntax is ASCII, which in UTF-8 is never part of another character, so lines may be
 * cut before they are decoded.
 *
 * An event larger than the cap is skipped: it is returned without its data (`isSkipped`), and the next events are read.
 */
export class EventStreamParser {
  readonly #cap: number;
  readonly #event: EventBuilder;
  /** The beginning of a line whose end has not arrived. */
  readonly #begun = createByteStore();
  #skipsLineFeed = false;
  #isFirstLine = true;
  /** No line of the next event has arrived. */
  #isBetween = false;
  /** Where the event in progress began; negative if that was in an earlier chunk. */
  #eventStart = -1;
  /** The line in progress is longer than the cap, and the rest of it is skipped. A comment is not part of its event. */
  #longLine: "comment" | "field" | undefined;

  constructor(cap = mostBytes) {
    this.#cap = cap;
    this.#event = new EventBuilder(cap);
  }

  /** The standard's last event ID; undefined until the stream has sent one. */
  lastEventId(): string | undefined {
    const id = this.#event.lastEventId;
    return id === undefined ? undefined : String(id);
  }

  /** Milliseconds of the last `retry` field. */
  retry(): number | undefined {
    return this.#event.retry;
  }

  /** Whether an event was given up because its end did not arrive; then the parser reads nothing more. */
  hasOverflown(): boolean {
    return this.#event.hasOverflown();
  }

  /** Takes the next bytes of the stream, cut anywhere; returns the events that they complete. */
  push(chunk: Buffer): readonly StreamEvent[] {
    if (this.hasOverflown() || chunk.length === 0 || this.#keepsByte(chunk)) return noEvents;
    const events: StreamEvent[] = [];
    let start = this.#skipsLineFeed && chunk[0] === LF ? 1 : 0;
    this.#skipsLineFeed = false;
    // The next search for either begins after the last match, so that a chunk is searched once for each.
    let [nextLf, nextCr] = [-1, -1];
    this.#eventStart = -1;
    while (start < chunk.length && !this.hasOverflown()) {
      if (this.#isBetween && this.#begun.length() === 0) {
        this.#eventStart = start;
        const behind = this.#event.takeAlike(chunk, start, events);
        if (behind > 0) {
          start = behind;
          continue;
        }
      }
      if (nextLf < start) nextLf = indexOrEnd(chunk, LF, start);
      if (nextCr < start) nextCr = indexOrEnd(chunk, CR, start);
      const end = Math.min(nextLf, nextCr);
      if (end === chunk.length) break;
      // CR LF is one line end, also where a chunk ends between the two.
      const behind = end === nextCr && chunk[end + 1] === LF ? end + 2 : end + 1;
      this.#skipsLineFeed = end === nextCr && end + 1 === chunk.length;
      if (this.#endLine(chunk, start, end)) {
        const event = this.#event.finish(chunk, this.#eventStart, behind);
        if (event !== undefined) events.push(event);
        this.#isBetween = true;
      }
      start = behind;
    }
    if (!this.hasOverflown()) this.#keepOrSkip(chunk, start);
    if (this.hasOverflown()) {
      this.#begun.take();
      this.#event.forget();
    }
    this.#event.leaveChunk();
    return events;
  }

  /** Fast path for a single byte inside a line: a sender that flushes each byte makes millions of them. */
  #keepsByte(chunk: Buffer): boolean {
    const only = chunk.length === 1 ? (chunk[0] ?? LF) : LF;
    if (only === LF || only === CR || this.#longLine !== undefined) return false;
    if (this.#begun.length() >= this.#cap) return false;
    this.#begun.addByte(only);
    this.#skipsLineFeed = false;
    return true;
  }

  /** Ends a line, which in most cases is read inside the chunk. Returns true if it is empty, which ends an event. */
  #endLine(chunk: Buffer, from: number, to: number): boolean {
    this.#isBetween = false;
    let [line, start, end] = [chunk, from, to];
    const isLent = this.#begun.length() > 0;
    if (isLent) {
      this.#begun.add(chunk.subarray(from, to));
      line = this.#begun.lend();
      [start, end] = [0, line.length];
    }
    if (end - start > this.#cap) this.#longLine ??= kindOf(line[start]);
    if (this.#isFirstLine) start += lengthOfMark(line, start, end);
    this.#isFirstLine = false;
    if (this.#longLine !== undefined) {
      this.#skip(end - start);
      this.#longLine = undefined;
      return false;
    }
    if (start === end) return true;
    this.#event.addLine(line, start, end, isLent);
    return false;
  }

  /** Keeps the beginning of an incomplete line, or skips it if it is too long. */
  #keepOrSkip(chunk: Buffer, from: number): void {
    const bytes = this.#begun.length() + chunk.length - from;
    if (this.#longLine === undefined && bytes <= this.#cap) {
      if (from < chunk.length) this.#begun.add(chunk.subarray(from));
      return;
    }
    [this.#isBetween, this.#isFirstLine] = [false, false];
    this.#longLine ??= kindOf(this.#begun.length() > 0 ? this.#begun.lend()[0] : chunk[from]);
    this.#skip(bytes);
  }

  /** Skips these bytes of the long line. */
  #skip(bytes: number): void {
    if (this.#longLine === "comment") this.#event.skipComment(bytes);
    else this.#event.skip(bytes);
  }
}

/** One byte order mark at the very beginning is not part of the stream. */
function lengthOfMark(line: Buffer, start: number, end: number): number {
  return end - start >= 3 && byteOrderMark.equals(line.subarray(start, start + 3)) ? 3 : 0;
}

function indexOrEnd(chunk: Buffer, byte: number, from: number): number {
  const found = chunk.indexOf(byte, from);
  return found < 0 ? chunk.length : found;
}

function kindOf(firstByte: number | undefined): "comment" | "field" {
  return firstByte === COLON ? "comment" : "field";
}
