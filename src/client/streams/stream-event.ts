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
  readonly id: string;
  /** The service's own field, which is no part of the standard. */
  readonly requestId: string | undefined;
}

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
