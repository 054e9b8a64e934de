import { ByteScan } from "../../json/byte-scan.ts";
import { createByteStore } from "./byte-store.ts";
import { EventFrame, type FramedValue, isAt } from "./event-frame.ts";
import { type EventId, idOf, skippedData, type StreamEvent } from "./received-event.ts";

/** Bytes that are skipped of a larger event. The parser gives up an event that is still not complete after them. */
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
/** Bytes: of a longer name only so much is looked at, as a hostile line may have no colon. */
const longestName = 10;
/** So many events in a row that were not like the one before, and only one of as many more is kept. */
const patience = 16;
/** Data, an id and the service's own. */
const mostValues = 3;

/**
 * Builds events from the lines of a stream. Most events have one line of data, which stays where it is; only several
 * are copied together. The data of an event that is larger than the cap are skipped, so that memory stays bounded.
 */
export class EventBuilder {
  /** The standard's last event ID; undefined until the stream has sent one. */
  lastEventId: EventId | undefined;
  /** Milliseconds of the last `retry` field. */
  retry: number | undefined;
  readonly #cap: number;
  #name = "";
  #requestId: EventId | undefined;
  #id: EventId | undefined;

  /** The data: undefined for an event without a line of them. */
  #bytes: Buffer | undefined;
  #start = 0;
  #end = 0;
  /** The data of an event with several lines of them. */
  readonly #lines = createByteStore();
  #skipped = 0;
  #isTooLarge = false;
  /** Of the bytes that were looked at last. */
  #scan: ByteScan | undefined;
  #lastLf = -1;

  /** Of an event that was read line by line: the next ones are mostly written like it. */
  #frame: EventFrame | undefined;
  /** The values of the event in progress; undefined where it is none to compare others with. */
  #values: FramedValue[] | undefined = [];
  /** Events in a row that had another frame. */
  #unlike = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  /**
   * "Process the field": names are compared whole and in their letter case; others mean nothing. `isLent`: the bytes will
   * be overwritten.
   */
  addLine(line: Buffer, start: number, end: number, isLent: boolean): void {
    const colon = endOfName(line, start, end);
    const hasSpace = colon + 1 < end && line[colon + 1] === SPACE;
    const from = Math.min(end, colon + (hasSpace ? 2 : 1));
    switch (fieldAt(line, start, colon)) {
      case fields.data:
        this.#note({ kind: "data", from, to: end });
        return this.#addData(line, from, end, isLent);
      case fields.event:
        this.#name = line.toString("utf8", from, end);
        return;
      case fields.requestId:
        this.#note({ kind: "requestId", from, to: end });
        this.#requestId = idOf(line, from, end);
        return;
      case fields.id: {
        this.#note({ kind: "id", from, to: end });
        const id = idOf(line, from, end);
        if (typeof id === "number" || !id.includes("\0")) this.#id = id;
        return;
      }
      case fields.retry:
        this.#values = undefined;
        this.retry = readDigits(line.toString("latin1", from, end)) ?? this.retry;
        return;
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
      // The bytes themselves would keep their chunk in memory.
      this.#setData(noBytes, 0, 0);
    }
    lines.addByte(LF);
    lines.add(line.subarray(from, to));
    if (lines.length() > this.#cap) this.skip(lines.length());
  }

  /** A hostile event may have any number of values. */
  #note(value: FramedValue): void {
    if (this.#values !== undefined && this.#values.push(value) > mostValues) this.#values = undefined;
  }

  /** Skips these bytes, which make the event too large. */
  skip(bytes: number): void {
    this.#isTooLarge = true;
    this.#skipped += bytes;
    this.#lines.take();
    this.#bytes = undefined;
  }

  /** Skips these bytes of a comment, which is not part of the event. */
  skipComment(bytes: number): void {
    this.#skipped += bytes;
  }

  hasOverflown(): boolean {
    return this.#skipped > maxSkippedBytes;
  }

  /**
   * "Dispatch the event": an event without a data line is none, but its id counts. It stands in the chunk from `from` to
   * `to`; `from` is negative where it began in an earlier one.
   */
  finish(chunk: Buffer, from: number, to: number): StreamEvent | undefined {
    this.lastEventId = this.#id;
    if (this.#isTooLarge) this.#setData(skippedData, 0, 0);
    else if (this.#lines.length() > 0) {
      const joined = this.#lines.take();
      this.#setData(joined, 0, joined.length);
    }
    const event = this.#event();
    if (event?.isPlainJson === true && from >= 0) this.#learn(chunk, from, to);
    this.#bytes = undefined;
    this.#isTooLarge = false;
    this.#skipped = 0;
    this.#name = "";
    this.#requestId = undefined;
    this.#values = [];
    return event;
  }

  /** Notes the frame of the event in progress. Where frames differ from event to event, few are noted. */
  #learn(chunk: Buffer, from: number, to: number): void {
    this.#unlike += 1;
    if (this.#values === undefined || (this.#unlike > patience && this.#unlike % patience !== 0)) return;
    this.#frame = EventFrame.of(chunk, [from, to], this.#values, this.#name) ?? this.#frame;
  }

  /** Takes the whole event that begins there, where it has the frame of one before. */
  takeAlike(chunk: Buffer, at: number, events: StreamEvent[]): number {
    const frame = this.#frame;
    if (frame === undefined) return -1;
    const scan = this.#scanOf(chunk);
    const end = frame.endAt(scan, chunk, at, this.#lastLf);
    if (end < 0 || end - at > this.#cap) return -1;
    this.#unlike = 0;
    this.#id = frame.id ?? this.#id;
    this.lastEventId = this.#id;
    events.push({
      name: frame.name === "" ? "message" : frame.name,
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

  /** Lets go of the chunk, whose lines have all been added. */
  leaveChunk(): void {
    this.#scan = undefined;
  }

  /** Frees the memory of a parser that reads nothing more. */
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

/** Where the colon stands, the end where there is none; somewhere behind the longest name that means anything. */
function endOfName(line: Buffer, from: number, to: number): number {
  const last = Math.min(to, from + longestName + 1);
  let at = from;
  while (at < last && line[at] !== COLON) at += 1;
  return at;
}

function fieldAt(line: Buffer, start: number, end: number): Buffer | undefined {
  for (const name of fieldNames) if (name.length === end - start && isAt(name, line, start)) return name;
  return undefined;
}

/** ASCII digits only, as the standard has it: a sign, a point or a space makes it invalid. */
function readDigits(text: string): number | undefined {
  return /^\d+$/u.test(text) ? Number(text) : undefined;
}
