import { ByteScan } from "../../json/byte-scan.ts";
import { createByteStore } from "./byte-store.ts";
import { skippedData, type StreamEvent } from "./stream-event.ts";

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

/**
 * Builds events from the lines of a stream. Most events have one line of data, which stays where it is; only several
 * are copied together. The data of an event that is larger than the cap are skipped, so that memory stays bounded.
 */
export class EventBuilder {
  /** The standard's last event ID; undefined until the stream has sent one. */
  lastEventId: string | undefined;
  /** Milliseconds of the last `retry` field. */
  retry: number | undefined;
  readonly #cap: number;
  #name = "";
  #requestId: string | undefined;
  #id: string | undefined;

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
    switch (fieldNames.find((name) => isAt(name, line, start, colon))) {
      case fields.data:
        return this.#addData(line, from, end, isLent);
      case fields.event:
        this.#name = line.toString("utf8", from, end);
        return;
      case fields.requestId:
        this.#requestId = line.toString("utf8", from, end);
        return;
      case fields.id: {
        const id = line.toString("utf8", from, end);
        if (!id.includes("\0")) this.#id = id;
        return;
      }
      case fields.retry:
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

  /** "Dispatch the event": an event without a data line is none, but its id counts. */
  finish(): StreamEvent | undefined {
    this.lastEventId = this.#id;
    if (this.#isTooLarge) this.#setData(skippedData, 0, 0);
    else if (this.#lines.length() > 0) {
      const joined = this.#lines.take();
      this.#setData(joined, 0, joined.length);
    }
    const event = this.#event();
    this.#bytes = undefined;
    this.#isTooLarge = false;
    this.#skipped = 0;
    this.#name = "";
    this.#requestId = undefined;
    return event;
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
    if (this.#scan?.bytes !== bytes) this.#scan = new ByteScan(bytes);
    return {
      name: this.#name === "" ? "message" : this.#name,
      bytes,
      start: this.#start,
      end: this.#end,
      isPlainJson: this.#scan.isPlain(this.#start, this.#end),
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

function isAt(name: Buffer, line: Buffer, start: number, end: number): boolean {
  if (end - start !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) if (line[start + index] !== name[index]) return false;
  return true;
}

/** ASCII digits only, as the standard has it: a sign, a point or a space makes it invalid. */
function readDigits(text: string): number | undefined {
  return /^\d+$/u.test(text) ? Number(text) : undefined;
}
