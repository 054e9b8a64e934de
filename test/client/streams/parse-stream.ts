import { createEventStreamParser, type StreamEvent } from "../../../src/client/streams/event-stream.ts";
import type { ExpectedEvent } from "./stream-cases.ts";

export interface Parsed {
  readonly events: readonly ExpectedEvent[];
  readonly lastEventId: string;
  readonly retry: number | undefined;
  readonly hasOverflown: boolean;
}

/** What a parser of its own makes of the chunks. */
export function parseChunks(chunks: Iterable<Buffer>, cap?: number): Parsed {
  const parser = createEventStreamParser(cap);
  const events: ExpectedEvent[] = [];
  for (const chunk of chunks) events.push(...parser.push(chunk).map(readable));
  return {
    events,
    lastEventId: parser.lastEventId(),
    retry: parser.retry(),
    hasOverflown: parser.hasOverflown(),
  };
}

function readable({ name, data, id, requestId }: StreamEvent): ExpectedEvent {
  return { name, data: data.toString("utf8"), id, requestId };
}

/** The bytes in pieces of one size, each in memory of its own as a socket gives them. */
export function* inPieces(stream: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < stream.length; at += size) yield Buffer.from(stream.subarray(at, at + size));
}
