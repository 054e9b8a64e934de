import type { EventId, StreamEvent } from "../../../client/stream-event.ts";
import { escapeJsonText } from "../../../base/json/json-text.ts";
import type { Subject } from "../../../client/subject.ts";

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
