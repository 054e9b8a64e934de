import { EventStreamParser } from "../../../src/client/streams/event-stream-parser.ts";
import { dataOf, isSkipped, type StreamEvent } from "../../../src/client/streams/received-event.ts";
import { ByteScan } from "../../../src/json/byte-scan.ts";
import type { ExpectedEvent } from "./stream-cases.ts";

export interface Parsed {
  readonly events: readonly ExpectedEvent[];
  readonly lastEventId: string;
  readonly retry: number | undefined;
  readonly hasOverflown: boolean;
}

/** In place of the data of an event that is larger than the cap. */
export const skippedText = "(skipped)";

/** What a parser of its own makes of the chunks. */
export function parseChunks(chunks: Iterable<Buffer>, cap?: number): Parsed {
  const parser = new EventStreamParser(cap);
  const events: ExpectedEvent[] = [];
  for (const chunk of chunks) events.push(...parser.push(chunk).map(readable));
  return {
    events,
    lastEventId: parser.lastEventId() ?? "",
    retry: parser.retry(),
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

/** The bytes in pieces of one size, each in memory of its own as a socket gives them. */
export function* inPieces(stream: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < stream.length; at += size) yield Buffer.from(stream.subarray(at, at + size));
}
