import { type ByteScan, followPattern, type Pattern } from "../../base/json/byte-scan.ts";
import type { FieldFinder } from "../../base/json/field-finder.ts";
import { numberOf } from "../stream-event.ts";

/** In bytes. A longer frame's pattern is not stored. */
const maxFrameBytes = 1024;
const LF = 0x0a;
/** A line that contains a field. Other lines have no effect. */
const fieldLine = /^([a-z_]+)(?:: ?(.*))?$/gmu;

/** An event without its data and ids. If the next one has the same frame, its lines need not be located again. */
export class EventFrame {
  readonly name: string;
  // These describe the last event found. Its ids are numbers.
  id: number | undefined;
  requestId: number | undefined;
  start = 0;
  end = 0;
  readonly #pattern: Pattern;
  readonly #fields: readonly string[];
  readonly #found: number[] = [];

  /** Undefined unless the event has one line of data and all its ids are numbers. `name` is its type. */
  static of(bytes: Buffer, start: number, end: number, name: string, finder?: FieldFinder) {
    // After a CR, the next event may begin with an LF that does not end a line.
    if (bytes[end - 1] !== LF) return undefined;
    const fields: string[] = [];
    const parts: Buffer[] = [];
    const values: number[] = [];
    let [from, length] = [start, 0];
    for (const line of bytes.toString("latin1", start, end).matchAll(fieldLine)) {
      const [text, field = "", value = ""] = line;
      // A malicious event may contain any number of fields.
      if (field === "retry" || fields.includes(field)) return undefined;
      if (field !== "data" && field !== "id" && field !== "request_id") continue;
      const until = start + line.index + text.length;
      if (field !== "data" && numberOf(bytes, until - value.length, until) < 0) return undefined;
      fields.push(field);
      parts.push(bytes.subarray(from, until - value.length));
      length += until - value.length - from;
      values.push(length, length);
      from = until;
    }
    const frame = Buffer.concat([...parts, bytes.subarray(from, end)]);
    if (!fields.includes("data") || frame.length > maxFrameBytes) return undefined;
    const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
    const nested = 2 * fields.indexOf("data");
    const pattern = { view, start: 0, values: [...values, frame.length], nested, reader: finder };
    return new EventFrame(name, fields, pattern);
  }

  private constructor(name: string, fields: readonly string[], pattern: Pattern) {
    this.name = name;
    this.#fields = fields;
    this.#pattern = pattern;
  }

  /**
   * Returns the index after the event at `at`, or -1 if its frame differs or its data is not plain JSON. Only values
   * before `lastLf`, the last line ending, are read: once V8 has read past the end of one chunk, it reads all later
   * chunks more slowly.
   */
  endAt(scan: ByteScan, at: number, lastLf: number): number {
    const found = this.#found;
    const end = endOfEvent(scan, this.#pattern, at, lastLf, found);
    if (end < 0) return -1;
    for (let index = 0; index < this.#fields.length; index += 1) {
      const field = this.#fields[index];
      const from = found[2 * index] ?? 0;
      const to = found[2 * index + 1] ?? 0;
      if (field === "data") {
        this.start = from;
        this.end = to;
        continue;
      }
      const number = numberOf(scan.bytes, from, to);
      if (number < 0) return -1;
      if (field === "id") this.id = number;
      else this.requestId = number;
    }
    return end;
  }
}

function endOfEvent(scan: ByteScan, pattern: Pattern, at: number, lastLf: number, found: number[]): number {
  try {
    return followPattern(scan, pattern, at, lastLf, found);
  } catch (cause) {
    // An id that is not JSON is not an error: the event is then parsed line by line.
    if (cause instanceof SyntaxError) return -1;
    throw cause;
  }
}
