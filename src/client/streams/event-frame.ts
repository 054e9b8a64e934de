import type { ByteScan } from "../../json/byte-scan.ts";
import { numberOf } from "./received-event.ts";

/** A value in an event: what stands around all of them is its frame. */
export interface FramedValue {
  readonly kind: "data" | "id" | "requestId";
  readonly from: number;
  readonly to: number;
}

/** Bytes: a longer frame is not kept to compare others with. */
const longest = 1024;
const LF = 0x0a;

/**
 * How the lines of an event are written, but for its data and ids. The events of a stream differ in little else: where one
 * has the frame of another, its lines need not be looked for, nor its fields told apart. The data are checked by their whole
 * grammar. It is what lets a stream reach more than half of the speed of a program that checks nothing.
 */
export class EventFrame {
  readonly name: string;
  /** What was found last. */
  id: number | undefined;
  requestId: number | undefined;
  start = 0;
  end = 0;
  /** What stands before each value, and behind the last. */
  readonly #parts: readonly Buffer[];
  readonly #kinds: readonly FramedValue["kind"][];

  /**
   * Of the event from `start` to `end`, where its values are one line of data and ids that are numbers, or none. All else
   * in it has no effect, or that of its name.
   */
  static of(
    bytes: Buffer,
    [start, end]: readonly [number, number],
    values: readonly FramedValue[],
    name: string,
  ): EventFrame | undefined {
    const kinds = values.map(({ kind }) => kind);
    if (new Set(kinds).size !== kinds.length || !kinds.includes("data")) return undefined;
    // Behind a CR the next event may begin with a LF that is no line.
    if (bytes[end - 1] !== LF) return undefined;
    if (values.some(({ kind, from, to }) => kind !== "data" && numberOf(bytes, from, to) < 0))
      return undefined;
    const bounds = [start, ...values.flatMap(({ from, to }) => [from, to]), end];
    const parts = [...kinds, "end"].map((_, index) =>
      Buffer.from(bytes.subarray(bounds[2 * index], bounds[2 * index + 1])),
    );
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return length > longest ? undefined : new EventFrame(name, parts, kinds);
  }

  private constructor(name: string, parts: readonly Buffer[], kinds: readonly FramedValue["kind"][]) {
    this.name = name;
    this.#parts = parts;
    this.#kinds = kinds;
  }

  /**
   * Behind the event that begins there, where it has this frame and its data are plain JSON; else -1, which says nothing.
   * `lastLf`: where the last line ends. Only values before it are read: V8 reads all others slower for good once it has
   * read behind the end of one chunk.
   */
  endAt(scan: ByteScan, bytes: Buffer, at: number, lastLf: number): number {
    let end = at;
    for (let index = 0; ; index += 1) {
      const part = this.#parts[index];
      if (part === undefined || !isAt(part, bytes, end)) return -1;
      end += part.length;
      const kind = this.#kinds[index];
      if (kind === undefined) return end;
      const from = end;
      if (from >= lastLf) return -1;
      end = kind === "data" ? scan.endOfPlain(from) : endOfDigits(bytes, from);
      if (end < 0) return -1;
      if (kind === "data") {
        this.start = from;
        this.end = end;
        continue;
      }
      const number = numberOf(bytes, from, end);
      if (number < 0) return -1;
      if (kind === "id") this.id = number;
      else this.requestId = number;
    }
  }
}

/** Whether these bytes stand there. For a few of them this is sooner done than called for. */
export function isAt(known: Buffer, bytes: Buffer, at: number): boolean {
  const { length } = known;
  if (at + length > bytes.length) return false;
  for (let index = 0; index < length; index += 1) if (bytes[at + index] !== known[index]) return false;
  return true;
}

function endOfDigits(bytes: Buffer, from: number): number {
  let at = from;
  while (((bytes[at] ?? 0) ^ 0x30) < 10) at += 1;
  return at;
}
