/** One dispatched event of an event stream. */
export interface StreamEvent {
  /** The event's type; "message" where the stream names none. */
  readonly name: string;
  /** What its data are a part of, from `start` to `end`: mostly the chunk that it came in. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Its data can be written as a line of JSON as they are: see `ByteScan.isPlain`. */
  readonly isPlainJson: boolean;
  /** Last `id:` of the stream so far; empty before the first. */
  readonly id: EventId;
  /** The service's own field, which is no part of the standard. */
  readonly requestId: EventId | undefined;
}

/** A number where it is written as one is: of a number there is no text to decode, and it can be compared. */
export type EventId = number | string;

/** In place of the data of an event that was larger than the parser's limit. */
export const skippedData: Buffer = Buffer.alloc(0);

/** Whether an event was skipped for its size: its name and ids are known, its data are not. */
export function isSkipped({ bytes }: StreamEvent): boolean {
  return bytes === skippedData;
}

/** UTF-8, lines joined by LF. May hold invalid sequences, which decoding replaces. */
export function dataOf({ bytes, start, end }: StreamEvent): Buffer {
  return bytes.subarray(start, end);
}

/** The same event in memory of its own: a part of a chunk keeps all of it. */
export function withoutChunk(event: StreamEvent): StreamEvent {
  if (isSkipped(event)) return event;
  const bytes = Buffer.from(dataOf(event));
  return { ...event, bytes, start: 0, end: bytes.length };
}

const ZERO = 0x30;
/** Of a number that keeps all of them. */
const mostDigits = 15;

/** The number that is written just so, without zeros before it; -1 where it is none. */
export function numberOf(bytes: Buffer, start: number, end: number): number {
  const digits = end - start;
  if (digits < 1 || digits > mostDigits || (digits > 1 && bytes[start] === ZERO)) return -1;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    number = 10 * number + digit;
  }
  return number;
}

export function idOf(bytes: Buffer, start: number, end: number): EventId {
  const number = numberOf(bytes, start, end);
  return number < 0 ? bytes.toString("utf8", start, end) : number;
}
