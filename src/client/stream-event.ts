import { isAscii, isUtf8 } from "node:buffer";
import { compactJson, escapeJsonText } from "../base/json/json-text.ts";
import type { Subject } from "./subject.ts";
import type { Feed } from "../api/feed.ts";
import { isObject, member, parseJson } from "../base/json/json-scan.ts";

/** An event as it arrived. Most events are output unchanged, so nothing is decoded in advance. */
export interface StreamEvent {
  /** "message" if the stream does not name a type. */
  readonly name: string;
  /** Contains the data from `start` to `end`; usually the chunk in which the event arrived. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Whether the data can be written unchanged as a line of JSON; see `ByteScan.isPlain`. */
  readonly isPlainJson: boolean;
  /**
   * The texts of the requested fields, from `firstText` on; see `FieldFinder`. Undefined if the data has to be parsed. All
   * events of a chunk share the list, because one list for each would keep the garbage collector busy.
   */
  readonly texts: readonly number[] | undefined;
  readonly firstText: number;
  /** The last `id` that the stream has sent so far; empty before the first one. */
  readonly id: EventId;
  /** The service's own `request_id` field, which is not part of the standard. */
  readonly requestId: EventId | undefined;
  /** Undefined until `EventOwners.claim` sets it. A copy of each event with its owner would be slow. */
  owner: Owner;
}

/** The asset of an event that its connection has not requested. */
export class Foreign {
  /** `network:address`, as far as the row has it. Untrusted text. */
  readonly name: string;
  /** Another network has a requested asset with the same address. */
  readonly isAlike: boolean;
  constructor(name: string, isAlike: boolean) {
    this.name = name;
    this.isAlike = isAlike;
  }
}

/** Undefined if the asset of the event is unknown. */
export type Owner = Subject | Foreign | undefined;

/** The asset, if it is one of the connection's own. */
export function assetOf({ owner }: StreamEvent): Subject | undefined {
  return owner instanceof Foreign ? undefined : owner;
}

/** A number if the id consists of digits, because numbers need no decoding and can be compared. */
export type EventId = number | string;

/** Replaces the data of an event that exceeded the parser's size limit. */
export const skippedData: Buffer = Buffer.alloc(0);

/** A skipped event's name and ids are known, but its data is not. */
export function isSkipped({ bytes }: StreamEvent): boolean {
  return bytes === skippedData;
}

/** In UTF-8, with lines joined by LF. It may contain invalid sequences, which are replaced during decoding. */
export function dataOf({ bytes, start, end }: StreamEvent): Buffer {
  return bytes.subarray(start, end);
}

/** Undefined unless the event is a JSON object. */
export function readRow(event: StreamEvent): unknown {
  const row = parseJson(dataOf(event).toString("utf8"));
  return isObject(row) ? row : undefined;
}

/**
 * Whether the event is one of the feed's. The specification names only `error` (Events 6), so an event with another name
 * counts as well if it has the value of the feed, such as the `p` of a price (Events 1).
 */
export function isData(event: StreamEvent, feed: Pick<Feed, "events" | "shown">): boolean {
  if (feed.events.has(event.name)) return true;
  if (event.name === "error") return false;
  const row = parseJson(dataOf(event).toString("utf8"));
  return feed.shown[0].names.some((name) => member(row, name) !== undefined);
}

/** A slice of a chunk would keep the entire chunk in memory. */
export function withoutChunk(event: StreamEvent): StreamEvent {
  if (isSkipped(event)) return event;
  const bytes = Buffer.from(dataOf(event));
  return { ...event, bytes, start: 0, end: bytes.length, texts: undefined, firstText: 0 };
}

/** The event with other data, which is JSON. */
export function withText({ name, id, requestId, owner }: StreamEvent, text: string): StreamEvent {
  const bytes = Buffer.from(text);
  const { length: end } = bytes;
  return {
    name,
    bytes,
    start: 0,
    end,
    isPlainJson: false,
    texts: undefined,
    firstText: 0,
    id,
    requestId,
    owner,
  };
}

const DEL = 0x7f;

/**
 * Returns the original text without whitespace between tokens and with terminal control characters escaped. Returns
 * undefined if the data is not valid JSON or UTF-8, because a malformed line would break the program that reads it.
 */
export function jsonLine(event: StreamEvent): string | undefined {
  const data = dataOf(event);
  if (event.isPlainJson) return data.toString("latin1");
  const isPlain = isAscii(data);
  if (!isPlain && !isUtf8(data)) return undefined;
  const text = isPlain ? data.toString("latin1") : data.toString("utf8");
  if (parseJson(text) === undefined) return undefined;
  const line = compactJson(text);
  // Valid ASCII JSON contains no control characters except DEL.
  return isPlain && data.indexOf(DEL) < 0 ? line : escapeJsonText(line);
}

const ZERO = 0x30;
/** Integers with up to this many digits are exact. */
const maxDigits = 15;

/** Returns -1 unless the text consists of decimal digits without leading zeros. */
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
