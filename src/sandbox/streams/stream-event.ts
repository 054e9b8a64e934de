import { type JsonObject, writeJson } from "../json-writer.ts";

/** One update, made once for all who asked for its subject. */
export interface StreamEvent {
  /** Unix seconds of the simulated clock at which it is sent. */
  readonly at: number;
  /** The frame's lines but for `request_id:`, which is each subscriber's own. */
  readonly lines: string;
  /** Candles only: their timestamp. */
  readonly id: number | undefined;
}

/** The events with from < at <= to, in order of time: the same for the same bounds, whenever it is asked. */
export type EventSource = (from: number, to: number) => readonly StreamEvent[];

/** Wire-facts 5.4: `data:` is one line, since JSON escapes line breaks; `id:` stands on candles only. */
export function makeEvent(name: string, at: number, payload: JsonObject, id?: number): StreamEvent {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return { at, id, lines: `event: ${name}\ndata: ${writeJson(payload)}\n${idLine}` };
}

export function dataFrame(event: StreamEvent, requestId: number): string {
  return `${event.lines}request_id: ${requestId}\n\n`;
}

/** Frames that no credit is charged for have no `request_id:` (wire-facts 5.4). */
export function pingFrame(time: number): string {
  return `event: ping\ndata: {"time":${time}}\n\n`;
}

/** Specification, Events 2: after it, the stream ends. */
export function errorFrame(message: string): string {
  return `event: error\ndata: ${writeJson({ message })}\n\n`;
}
