/**
 * Where a fault takes hold. `answer` stands in for the answer, `change` alters what was asked or answered, `header`
 * alters the headers, `delivery` how the bytes travel, `stream` what happens in an open stream. Of `answer` and of
 * `delivery` a request has one at most; the others add up.
 */
export type FaultLayer = "answer" | "change" | "header" | "delivery" | "stream";

/** What may stand behind `=`. */
export type FaultValue = "none" | "status" | "duration" | "events" | "tier" | "name";

export interface FaultTraits {
  readonly layer: FaultLayer;
  readonly value: FaultValue;
  /** The value when none is given: milliseconds, a status, a number of events. */
  readonly byDefault?: number;
  /** Strikes the first request it can, and no other, unless a position, count or rate is given. */
  readonly isOnce?: true;
  readonly help: string;
}

/** Every fault that has a name; any status from 400 to 599 is one more. */
export const faultTraits = {
  html: { layer: "answer", value: "status", byDefault: 403, help: "an HTML page, as an edge rule sends it" },
  "message-only": {
    layer: "answer",
    value: "status",
    byDefault: 500,
    help: "an error body that holds `message` and nothing else",
  },
  empty: { layer: "change", value: "status", help: "no body; the answer's own status unless one is given" },
  "invalid-json": { layer: "change", value: "none", help: "a body cut short, its length told as it is" },
  "duplicate-page": {
    layer: "change",
    value: "none",
    help: "a further page brings the rows before it again",
  },
  "empty-page": {
    layer: "change",
    value: "none",
    isOnce: true,
    help: "a list without rows; totals and cursor as usual (once)",
  },
  "short-page": {
    layer: "change",
    value: "none",
    isOnce: true,
    help: "a list with the first half of its rows; the rest as usual (once)",
  },
  "missing-cursor": {
    layer: "change",
    value: "none",
    isOnce: true,
    help: "a page that promises another one and has no next_cursor (once)",
  },
  "stale-page": {
    layer: "change",
    value: "none",
    isOnce: true,
    help: "the previous response of the same list again, totals and cursor included (once)",
  },
  "repeat-cursor": {
    layer: "change",
    value: "none",
    help: "a further page names its own cursor as the next",
  },
  "drop-filter": {
    layer: "change",
    value: "name",
    help: "a search leaves one filter out, of its rows and of its echo",
  },
  plan: { layer: "header", value: "tier", help: "X-Api-Plan names this plan (keyless)" },
  "no-plan-header": { layer: "header", value: "none", help: "no X-Api-Plan" },
  "no-credit-headers": { layer: "header", value: "none", help: "no X-Credits-*" },
  "no-ratelimit-headers": { layer: "header", value: "none", help: "no RateLimit-* on a 429" },
  "no-retry-after": { layer: "header", value: "none", help: "no Retry-After on a 429" },
  "reset-before": { layer: "delivery", value: "none", help: "connection reset before a byte of the answer" },
  "reset-headers": { layer: "delivery", value: "none", help: "connection reset in the headers" },
  "reset-body": { layer: "delivery", value: "none", help: "connection reset in the middle of the body" },
  "reset-after": { layer: "delivery", value: "none", help: "connection reset after a whole answer" },
  truncate: { layer: "delivery", value: "none", help: "connection closed in the middle of the body" },
  "slow-headers": {
    layer: "delivery",
    value: "duration",
    byDefault: 3000,
    help: "headers trickle for this long (3s)",
  },
  "slow-body": {
    layer: "delivery",
    value: "duration",
    byDefault: 3000,
    help: "the body trickles for this long (3s)",
  },
  "stream-cut": {
    layer: "stream",
    value: "events",
    byDefault: 3,
    help: "a stream is cut after this many events (3)",
  },
  "stream-silent": {
    layer: "stream",
    value: "events",
    byDefault: 0,
    help: "after this many events (0) a stream sends nothing more, not even pings",
  },
  "stream-error": {
    layer: "stream",
    value: "events",
    byDefault: 3,
    help: "after this many events (3) a stream sends an `error` event and closes",
  },
} as const satisfies Readonly<Record<string, FaultTraits>>;

export type FaultName = keyof typeof faultTraits;

export function isFaultName(word: string): word is FaultName {
  return Object.hasOwn(faultTraits, word);
}

export function faultNames(): readonly string[] {
  return Object.keys(faultTraits);
}

export function traitsOf(name: FaultName | "status"): FaultTraits {
  return name === "status" ? statusTraits : faultTraits[name];
}

const statusTraits: FaultTraits = {
  layer: "answer",
  value: "status",
  help: "this status with the body that belongs to it; 429=7 says Retry-After: 7",
};
