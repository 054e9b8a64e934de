import { EventStreamParser } from "../../../src/client/streams/event-stream.ts";
import { dataOf, isSkipped, type StreamEvent } from "../../../src/client/stream-event.ts";
import { ByteScan } from "../../../src/base/json/byte-scan.ts";
import type { ExpectedEvent } from "./stream-cases.ts";

export interface Parsed {
  readonly events: readonly ExpectedEvent[];
  readonly lastEventId: string;
  readonly retry: number | undefined;
  readonly hasOverflown: boolean;
}

/** Replaces the data of an event that is larger than the limit. */
export const skippedText = "(skipped)";

/** Parses the chunks with a new parser. */
export function parseChunks(chunks: Iterable<Buffer>, cap?: number): Parsed {
  const parser = new EventStreamParser(cap);
  const events: ExpectedEvent[] = [];
  for (const chunk of chunks) events.push(...parser.push(chunk).map(readable));
  return {
    events,
    lastEventId: parser.lastEventId() ?? "",
    retry: parser.retry,
    hasOverflown: parser.hasOverflown(),
  };
}

function readable(event: StreamEvent): ExpectedEvent {
  const { name, id, requestId } = event;
  const bytes = dataOf(event);
  if (event.isPlainJson !== new ByteScan(bytes).isPlain(0, bytes.length))
    throw new Error("taken for what it is not");
  const data = isSkipped(event) ? skippedText : dataOf(event).toString("utf8");
  return { name, data, id: String(id), requestId: requestId?.toString() };
}

/** Splits the bytes into pieces of one size, each with its own memory, as a socket delivers them. */
export function* inPieces(stream: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < stream.length; at += size) yield Buffer.from(stream.subarray(at, at + size));
}
