import { ByteScan } from "../../json/byte-scan.ts";
import { createByteStore } from "./byte-store.ts";
import { EventFrame } from "./event-frame.ts";
import { type EventId, idOf, skippedData, type StreamEvent } from "./stream-event.ts";

/** In bytes. The parser gives up if the event is still incomplete after this many. */
export const maxSkippedBytes = 64 * 1024 * 1024;
const [LF, SPACE, COLON] = [0x0a, 0x20, 0x3a];
const noBytes: Buffer = Buffer.alloc(0);

const fields = {
  data: Buffer.from("data"),
  event: Buffer.from("event"),
  id: Buffer.from("id"),
  retry: Buffer.from("retry"),
  requestId: Buffer.from("request_id"),
};
const fieldNames = Object.values(fields);
/** In bytes. The rest of a name is not read, because a malicious line may not contain a colon at all. */
const maxNameBytes = 10;
/** After this many events in a row with unknown frames, only one in this many frames is stored. */
const patience = 16;

/**
 * Most events have one line of data, which is not copied; several lines are copied to join them. The data of an event
 * larger than the limit is skipped, so that memory use stays limited.
 */
export class EventBuilder {
  /** As defined by the standard; undefined until the stream has sent one. */
  lastEventId: EventId | undefined;
  /** In milliseconds. */
  retry: number | undefined;
  readonly #cap: number;
  #name = "";
  #requestId: EventId | undefined;
  #id: EventId | undefined;

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
  /** The number of consecutive events with a different frame. */
  #unlike = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  /**
   * The standard's "process the field" step: names are case-sensitive, and unknown ones are ignored. `isLent` means
   * that the bytes will be overwritten.
   */
  addLine(line: Buffer, start: number, end: number, isLent: boolean): void {
    const colon = endOfName(line, start, end);
    const hasSpace = colon + 1 < end && line[colon + 1] === SPACE;
    const from = Math.min(end, colon + (hasSpace ? 2 : 1));
    switch (fieldAt(line, start, colon)) {
      case fields.data:
        return this.#addData(line, from, end, isLent);
      case fields.event:
        this.#name = line.toString("utf8", from, end);
        return;
      case fields.requestId:
        this.#requestId = idOf(line, from, end);
        return;
      case fields.id: {
        const id = idOf(line, from, end);
        if (typeof id === "number" || !id.includes("\0")) this.#id = id;
        return;
      }
      case fields.retry: {
        const digits = line.toString("latin1", from, end);
        // The standard allows ASCII digits only: a sign, a decimal point or a space makes the value invalid.
        if (/^\d+$/u.test(digits)) this.retry = Number(digits);
        return;
      }
      case undefined:
    }
  }

  #addData(line: Buffer, from: number, to: number, isLent: boolean): void {
    if (this.#isTooLarge) return this.skip(to - from + 1);
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
    if (lines.length() > this.#cap) this.skip(lines.length());
  }

  skip(bytes: number): void {
    this.#isTooLarge = true;
    this.#skipped += bytes;
    this.forget();
  }

  /** A comment is not part of the event. */
  skipComment(bytes: number): void {
    this.#skipped += bytes;
  }

  hasOverflown(): boolean {
    return this.#skipped > maxSkippedBytes;
  }

  /**
   * The standard's "dispatch the event" step: without a data line, there is no event, but its id still counts. The
   * event extends from `from` to `to` in the chunk; `from` is negative if it began in an earlier chunk.
   */
  finish(chunk: Buffer, from: number, to: number): StreamEvent | undefined {
    this.lastEventId = this.#id;
    if (this.#isTooLarge) this.#setData(skippedData, 0, 0);
    else if (this.#lines.length() > 0) {
      const joined = this.#lines.take();
      this.#setData(joined, 0, joined.length);
    }
    const event = this.#event();
    if (event?.isPlainJson === true && from >= 0) this.#learn(chunk, from, to, event.name);
    this.#bytes = undefined;
    this.#isTooLarge = false;
    this.#skipped = 0;
    this.#name = "";
    this.#requestId = undefined;
    return event;
  }

  /** If frames keep changing from event to event, only some of them are stored. */
  #learn(chunk: Buffer, from: number, to: number, name: string): void {
    this.#unlike += 1;
    if (this.#unlike > patience && this.#unlike % patience !== 0) return;
    this.#frame = EventFrame.of(chunk, from, to, name) ?? this.#frame;
  }

  /** Adds the event at `at` and returns the index after it, or -1 if its frame is not the stored one. */
  takeAlike(chunk: Buffer, at: number, events: StreamEvent[]): number {
    const frame = this.#frame;
    if (frame === undefined) return -1;
    const end = frame.endAt(this.#scanOf(chunk), at, this.#lastLf);
    if (end < 0 || end - at > this.#cap) return -1;
    this.#unlike = 0;
    this.#id = frame.id ?? this.#id;
    this.lastEventId = this.#id;
    events.push({
      name: frame.name,
      bytes: chunk,
      start: frame.start,
      end: frame.end,
      isPlainJson: true,
      id: this.lastEventId ?? "",
      requestId: frame.requestId,
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

  /** Called after all lines in the chunk have been added. */
  leaveChunk(): void {
    this.#scan = undefined;
  }

  forget(): void {
    this.#lines.take();
    this.#bytes = undefined;
  }

  #event(): StreamEvent | undefined {
    const bytes = this.#bytes;
    if (bytes === undefined) return undefined;
    return {
      name: this.#name === "" ? "message" : this.#name,
      bytes,
      start: this.#start,
      end: this.#end,
      isPlainJson: this.#scanOf(bytes).isPlain(this.#start, this.#end),
      id: this.lastEventId ?? "",
      requestId: this.#requestId,
    };
  }

  #setData(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes;
    this.#start = from;
    this.#end = to;
  }
}

/** Without a colon, returns the end of the line. For names longer than any known one, the result is arbitrary. */
function endOfName(line: Buffer, from: number, to: number): number {
  const last = Math.min(to, from + maxNameBytes + 1);
  let at = from;
  while (at < last && line[at] !== COLON) at += 1;
  return at;
}

function fieldAt(line: Buffer, start: number, end: number): Buffer | undefined {
  return fieldNames.find((name) => name.length === end - start && isAt(name, line, start));
}

/** For a few bytes, a loop is faster than calling `compare`. */
function isAt(known: Buffer, bytes: Buffer, at: number): boolean {
  for (let index = 0; index < known.length; index += 1) if (bytes[at + index] !== known[index]) return false;
  return true;
}
