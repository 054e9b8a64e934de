import { isAscii, isUtf8 } from "node:buffer";
import type { Subject } from "../client/batches.ts";
import { dataOf, type EventId, type StreamEvent } from "../client/streams/received-event.ts";
import { compactJson, escapeJsonText } from "../json/json-text.ts";

const DEL = 0x7f;

/**
 * The event's data as the text of one line: the service's own, less white space between tokens, what could act on a
 * terminal escaped. Undefined where it is no JSON, or no UTF-8: a line that cannot be read would break its reader.
 */
export function jsonLine(event: StreamEvent): string | undefined {
  const data = dataOf(event);
  if (event.isPlainJson) return data.toString("latin1");
  const isPlain = isAscii(data);
  if (!isPlain && !isUtf8(data)) return undefined;
  const text = isPlain ? data.toString("latin1") : data.toString("utf8");
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const line = compactJson(text);
  // Of ASCII, where control characters would be no JSON, this is the only one that is not for showing.
  return isPlain && data.indexOf(DEL) < 0 ? line : escapeJsonText(line);
}

export interface EnvelopeFacts {
  readonly feed: string;
  readonly subject: Subject | undefined;
  /** Milliseconds since the epoch. */
  readonly received: number;
  /** A candle whose instant came before: it takes that one's place. */
  readonly isReplacement: boolean;
}

/** The line with what the service said beside it, and when it came. */
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

/** Whose an event of a connection is: `request_id` is the place in its batch (wire-facts 5.3). */
export function subjectOf(event: StreamEvent, subjects: readonly Subject[]): Subject | undefined {
  return subjects.length === 1 ? subjects[0] : subjects[Number(event.requestId ?? Number.NaN)];
}

/** Instants of candles, the newest so many: the service corrects one for ten minutes at most (wire-facts 5.6). */
const remembered = 1024;

/** Whether a candle's instant came before. */
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
