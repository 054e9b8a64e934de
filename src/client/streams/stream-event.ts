/** One dispatched event of an event stream. */
export interface StreamEvent {
  /** The event's type; "message" if the stream names none. */
  readonly name: string;
  /** Contains its data, from `start` to `end`: in most cases the chunk that it arrived in. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Its data can be written as a line of JSON unchanged: see `ByteScan.isPlain`. */
  readonly isPlainJson: boolean;
  /** Last `id:` of the stream so far; empty before the first. */
  readonly id: EventId;
  /** The service's own field, which is not part of the standard. */
  readonly requestId: EventId | undefined;
}

/** A number if it is written as one: a number needs no decoding, and it can be compared. */
export type EventId = number | string;

/** In place of the data of an event that was larger than the parser's limit. */
export const skippedData: Buffer = Buffer.alloc(0);

/** Whether an event was skipped for its size: its name and ids are known, its data are not. */
export function isSkipped({ bytes }: StreamEvent): boolean {
  return bytes === skippedData;
}

/** UTF-8, lines joined by LF. May contain invalid sequences, which decoding replaces. */
export function dataOf({ bytes, start, end }: StreamEvent): Buffer {
  return bytes.subarray(start, end);
}

/** Copies the event into separate memory: a part of a chunk would keep all of the chunk. */
export function withoutChunk(event: StreamEvent): StreamEvent {
  if (isSkipped(event)) return event;
  const bytes = Buffer.from(dataOf(event));
  return { ...event, bytes, start: 0, end: bytes.length };
}

const ZERO = 0x30;
/** A number keeps all digits up to this many. */
const maxDigits = 15;

/** The number with exactly these digits, without leading zeros; -1 if it is not a number. */
export function numberOf(bytes: Uint8Array, start: number, end: number): number {
  const digits = end - start;
  if (digits < 1 || digits > maxDigits || (digits > 1 && bytes[start] === ZERO)) return -1;
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
