import { ByteScan } from "../../base/json/byte-scan.ts";
import type { FieldFinder } from "../../base/json/field-finder.ts";
import { createByteStore } from "../../base/byte-store.ts";
import { EventFrame } from "./event-frame.ts";
import { type EventId, idOf, skippedData, type StreamEvent } from "../stream-event.ts";

/** In bytes. Events from the service are much smaller. */
const maxBytes = 1024 * 1024;
/** In bytes. The parser gives up if the event is still incomplete after this many. */
export const maxSkippedBytes = 64 * 1024 * 1024;
const [LF, CR, SPACE, COLON] = [0x0a, 0x0d, 0x20, 0x3a];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const noBytes: Buffer = Buffer.alloc(0);
/** In bytes. The rest of a name is not read, because a malicious line may not contain a colon at all. */
const maxNameBytes = 10;

/**
 * Parses the WHATWG HTML standard's event stream format (Server-sent events), without I/O. It works on bytes: all
 * syntax is ASCII, and in UTF-8 an ASCII byte is never part of another character, so lines can be split before they are
 * decoded. Most events have one line of data, which is not copied; several lines are copied to join them. An event
 * larger than the limit is returned without its data (`isSkipped`), so that memory use stays limited.
 */
export class EventStreamParser {
  /** In milliseconds. */
  retry: number | undefined;
  /** The number of lines so far that the standard ignores, except comments. They may be no event stream at all. */
  strayLines = 0;
  /** Their number before the current event. */
  #strayBefore = 0;
  readonly #cap: number;
  readonly #finder: FieldFinder | undefined;
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

  // The fields of the event so far:
  #name = "";
  #requestId: EventId | undefined;
  #id: EventId | undefined;
  #lastEventId: EventId | undefined;
  /** Undefined if the event has no data line. */
  #bytes: Buffer | undefined;
  #start = 0;
  #end = 0;
  /** The joined data of an event with several data lines. */
  readonly #lines = createByteStore();
  #skipped = 0;
  #isTooLarge = false;

  /** The scan of the last buffer read. */
  #scan: ByteScan | undefined;
  #lastLf = -1;
  /** The frame of an event that was parsed line by line; most later events have the same frame. */
  #frame: EventFrame | undefined;

  constructor(cap = maxBytes, finder?: FieldFinder) {
    this.#cap = cap;
    this.#finder = finder;
  }

  /** As defined by the standard; undefined until the stream has sent one. */
  lastEventId(): string | undefined {
    return this.#lastEventId?.toString();
  }

  /** A skipped event never ended, so the rest of the stream is ignored. */
  hasOverflown(): boolean {
    return this.#skipped > maxSkippedBytes;
  }

  /** Returns the events that are now complete. The stream may be split anywhere. */
  push(chunk: Buffer): readonly StreamEvent[] {
    if (this.hasOverflown() || chunk.length === 0 || this.#keepsByte(chunk)) return [];
    const events: StreamEvent[] = [];
    if (this.#finder !== undefined) this.#finder.texts = [];
    let start = this.#skipsLineFeed && chunk[0] === LF ? 1 : 0;
    this.#skipsLineFeed = false;
    // Each search starts after the previous match, so that each byte is scanned only once.
    let [nextLf, nextCr] = [-1, -1];
    this.#eventStart = -1;
    while (start < chunk.length && !this.hasOverflown()) {
      if (this.#isBetween && this.#begun.length() === 0) {
        this.#eventStart = start;
        const behind = this.#takeAlike(chunk, start, events);
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
        const event = this.#finish(chunk, this.#eventStart, behind);
        if (event !== undefined) events.push(event);
        this.#isBetween = true;
      }
      start = behind;
    }
    if (!this.hasOverflown()) this.#keepOrSkip(chunk, start);
    if (this.hasOverflown()) {
      this.#begun.take();
      this.#forget();
    }
    this.#scan = undefined;
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
    this.#addLine(line, start, end, isLent);
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

  /** A comment is not part of the event. */
  #skip(bytes: number): void {
    this.#skipped += bytes;
    if (this.#longLine === "comment") return;
    this.#isTooLarge = true;
    this.#forget();
  }

  #forget(): void {
    this.#lines.take();
    this.#bytes = undefined;
  }

  /**
   * The standard's "process the field" step: names are case-sensitive, and unknown ones are ignored. `isLent` means
   * that the bytes will be overwritten.
   */
  #addLine(line: Buffer, start: number, end: number, isLent: boolean): void {
    const last = Math.min(end, start + maxNameBytes + 1);
    let colon = start;
    while (colon < last && line[colon] !== COLON) colon += 1;
    const hasSpace = colon + 1 < end && line[colon + 1] === SPACE;
    const from = Math.min(end, colon + (hasSpace ? 2 : 1));
    switch (line.toString("latin1", start, colon)) {
      case "data":
        return this.#addData(line, from, end, isLent);
      case "event":
        this.#name = line.toString("utf8", from, end);
        return;
      case "request_id":
        this.#requestId = idOf(line, from, end);
        return;
      case "id": {
        const id = idOf(line, from, end);
        if (typeof id === "number" || !id.includes("\0")) this.#id = id;
        return;
      }
      case "retry": {
        const digits = line.toString("latin1", from, end);
        // The standard allows ASCII digits only: a sign, a decimal point or a space makes the value invalid.
        if (/^\d+$/u.test(digits)) this.retry = Number(digits);
        return;
      }
      case "":
        return;
      default:
        this.strayLines += 1;
    }
  }

  #addData(line: Buffer, from: number, to: number, isLent: boolean): void {
    if (this.#isTooLarge) return this.#skip(to - from + 1);
    if (this.#bytes === undefined) {
      if (isLent) this.#setData(Buffer.from(line.subarray(from, to)), 0, to - from);
      else this.#setData(line, from, to);
      return;
    }
    const lines = this.#lines;
    if (lines.length() === 0) {
      lines.add(this.#bytes.subarray(this.#start, this.#end));
      // A reference to the original bytes would keep their chunk in memory.
      this.#setData(noBytes, 0, 0);
    }
    lines.addByte(LF);
    lines.add(line.subarray(from, to));
    if (lines.length() > this.#cap) this.#skip(lines.length());
  }

  /**
   * The standard's "dispatch the event" step: a block without a data line is not an event, but its id still counts. The
   * event extends from `from` to `to` in the chunk; `from` is negative if it began in an earlier chunk.
   */
  #finish(chunk: Buffer, from: number, to: number): StreamEvent | undefined {
    this.#lastEventId = this.#id;
    if (this.#isTooLarge) this.#setData(skippedData, 0, 0);
    else if (this.#lines.length() > 0) {
      const joined = this.#lines.take();
      this.#setData(joined, 0, joined.length);
    }
    const event = this.#event();
    // Stray lines have to be counted in each event.
    const hasStrayLines = this.strayLines > this.#strayBefore;
    this.#strayBefore = this.strayLines;
    if (event?.isPlainJson === true && from >= 0 && !hasStrayLines)
      this.#frame = EventFrame.of(chunk, from, to, event.name, this.#finder) ?? this.#frame;
    this.#bytes = undefined;
    this.#isTooLarge = false;
    this.#skipped = 0;
    this.#name = "";
    this.#requestId = undefined;
    return event;
  }

  /** Adds the event at `at` and returns the index after it, or -1 if its frame is not the stored one. */
  #takeAlike(chunk: Buffer, at: number, events: StreamEvent[]): number {
    const frame = this.#frame;
    if (frame === undefined) return -1;
    const end = frame.endAt(this.#scanOf(chunk), at, this.#lastLf);
    if (end < 0 || end - at > this.#cap) return -1;
    this.#id = frame.id ?? this.#id;
    this.#lastEventId = this.#id;
    const finder = this.#finder;
    events.push({
      name: frame.name,
      bytes: chunk,
      start: frame.start,
      end: frame.end,
      isPlainJson: true,
      texts: finder?.first === undefined ? undefined : finder.texts,
      firstText: finder?.first ?? 0,
      id: this.#lastEventId ?? "",
      requestId: frame.requestId,
      owner: undefined,
    });
    return end;
  }

  #scanOf(bytes: Buffer): ByteScan {
    if (this.#scan?.bytes !== bytes) {
      this.#scan = new ByteScan(bytes);
      this.#lastLf = bytes.lastIndexOf(LF);
    }
    return this.#scan;
  }

  #event(): StreamEvent | undefined {
    const bytes = this.#bytes;
    if (bytes === undefined) return undefined;
    const scan = this.#scanOf(bytes);
    const isPlainJson = scan.isPlain(this.#start, this.#end);
    const finder = isPlainJson ? this.#finder : undefined;
    finder?.find(scan, this.#start, this.#end);
    return {
      name: this.#name === "" ? "message" : this.#name,
      bytes,
      start: this.#start,
      end: this.#end,
      isPlainJson,
      texts: finder?.first === undefined ? undefined : finder.texts,
      firstText: finder?.first ?? 0,
      id: this.#lastEventId ?? "",
      requestId: this.#requestId,
      owner: undefined,
    };
  }

  #setData(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes;
    this.#start = from;
    this.#end = to;
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
