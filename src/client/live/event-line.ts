import { isAscii, isUtf8 } from "node:buffer";
import { parseJson } from "../../base/json/raw-json.ts";
import { dataOf, type EventId, type StreamEvent } from "../streams/stream-event.ts";
import { compactJson, escapeJsonText } from "../../base/json/json-text.ts";
import type { Subject } from "../subject.ts";

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

interface EnvelopeFacts {
  readonly feed: string;
  readonly subject: Subject | undefined;
  /** In milliseconds since the epoch. */
  readonly received: number;
  /** A candle with the same time has already been output, and this one replaces it. */
  readonly isReplacement: boolean;
}

export function enveloped(line: string, event: StreamEvent, facts: EnvelopeFacts): string {
  const { feed, subject, received, isReplacement } = facts;
  const known = {
    feed,
    event: event.name,
    ...(event.id !== "" && { id: String(event.id) }),
    ...(event.requestId !== undefined && { request_id: event.requestId }),
    ...(subject !== undefined && { network: subject.network, address: subject.address }),
    received: new Date(received).toISOString(),
    ...(isReplacement && { replaces: true }),
  };
  return `${escapeJsonText(JSON.stringify(known)).slice(0, -1)},"data":${line}}`;
}

/** Number of candle times. The service corrects a candle for at most ten minutes (wire-facts 5.6). */
const remembered = 1024;

/** Reports whether an earlier candle had the same time. */
export function createReplacements(): (event: StreamEvent) => boolean {
  const seen = new Set<EventId>();
  return ({ id }) => {
    if (id === "") return false;
    if (seen.has(id)) return true;
    seen.add(id);
    if (seen.size > remembered) seen.delete(seen.values().next().value ?? "");
    return false;
  };
}
