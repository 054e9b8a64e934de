import { createByteStore } from "./byte-store.ts";
import { EventBuilder } from "./event-builder.ts";
import type { StreamEvent } from "./stream-event.ts";

/** In bytes. Events from the service are much smaller. */
const mostBytes = 1024 * 1024;
const [LF, CR, COLON] = [0x0a, 0x0d, 0x3a];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const noEvents: readonly StreamEvent[] = [];

/**
 * Parses the WHATWG HTML standard's event stream format (Server-sent events), without I/O. It works on bytes: all
 * syntax is ASCII, and in UTF-8 an ASCII byte is never part of another character, so lines can be split before they are
 * decoded. An event larger than the limit is returned without its data (`isSkipped`).
 */
export class EventStreamParser {
  readonly #cap: number;
  readonly #event: EventBuilder;
  /** The start of an incomplete line. */
  readonly #begun = createByteStore();
  #skipsLineFeed = false;
  #isFirstLine = true;
  /** Whether no line of the next event has arrived yet. */
  #isBetween = false;
  /** Negative if the event began in an earlier chunk. */
  #eventStart = -1;
  /** Set while a line longer than the limit is skipped. A comment does not count as part of its event. */
  #longLine: "comment" | "field" | undefined;

  constructor(cap = mostBytes) {
    this.#cap = cap;
    this.#event = new EventBuilder(cap);
  }

  /** As defined by the standard; undefined until the stream has sent one. */
  lastEventId(): string | undefined {
    const id = this.#event.lastEventId;
    return id === undefined ? undefined : String(id);
  }

  /** In milliseconds. */
  retry(): number | undefined {
    return this.#event.retry;
  }

  /** A skipped event never ended, so the rest of the stream is ignored. */
  hasOverflown(): boolean {
    return this.#event.hasOverflown();
  }

  /** Returns the events that are now complete. The stream may be split anywhere. */
  push(chunk: Buffer): readonly StreamEvent[] {
    if (this.hasOverflown() || chunk.length === 0 || this.#keepsByte(chunk)) return noEvents;
    const events: StreamEvent[] = [];
    let start = this.#skipsLineFeed && chunk[0] === LF ? 1 : 0;
    this.#skipsLineFeed = false;
    // Each search starts after the previous match, so that each byte is scanned only once.
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
      // CR LF is a single line ending, even if a chunk ends between the two.
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

  /** A sender that flushes every byte produces millions of chunks with a single byte inside a line. */
  #keepsByte(chunk: Buffer): boolean {
    const only = chunk.length === 1 ? (chunk[0] ?? LF) : LF;
    if (only === LF || only === CR || this.#longLine !== undefined) return false;
    if (this.#begun.length() >= this.#cap) return false;
    this.#begun.addByte(only);
    this.#skipsLineFeed = false;
    return true;
  }

  /** Usually avoids copying the line. Returns true if the line is empty, which ends an event. */
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

  #skip(bytes: number): void {
    if (this.#longLine === "comment") this.#event.skipComment(bytes);
    else this.#event.skip(bytes);
  }
}

/** A byte order mark at the start of the stream is not part of the content. */
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
