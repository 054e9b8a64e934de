import type { Tier } from "../../contract/tier.ts";

/** One part of a `--faults` text, parsed. */
export interface Fault {
  readonly kind: FaultName | "status";
  /** The part as typed. */
  readonly text: string;
  /** A status, milliseconds or a number of events; undefined for a kind without one. */
  readonly amount: number | undefined;
  /** Seconds of Retry-After on a 429. */
  readonly retryAfter: number | undefined;
  readonly tier: Tier | undefined;
  /** Name of the filter to drop. */
  readonly filter: string | undefined;
  readonly when: When;
  /** Only paths that hold this; undefined for all. */
  readonly path: string | undefined;
}

/** Counted over the requests the fault applies to, from 1. */
export type When =
  /** Of a rate: bursts of `length` requests begin at this share of them. */
  | { readonly by: "rate"; readonly share: number; readonly length: number }
  /** Inclusive; `to` may be Infinity. A count is a range from 1. */
  | { readonly by: "range"; readonly from: number; readonly to: number };

export type Faults = readonly Fault[];

/**
 * What a fault affects. `answer` replaces the response, `change` alters the request or the body, `header` alters the
 * headers, `delivery` the transfer of the bytes, and `stream` an open stream. A request has at most one fault of `answer`
 * and one of `delivery`; the others add up.
 */
type FaultLayer = "answer" | "change" | "header" | "delivery" | "stream";

/** The value allowed after `=`. */
type FaultValue = "none" | "status" | "duration" | "events" | "tier" | "name";

interface FaultTraits {
  readonly layer: FaultLayer;
  readonly value: FaultValue;
  /** The default value: milliseconds, a status, a number of events. */
  readonly byDefault?: number;
  /** Without a position, count or rate, strikes only the first request it applies to. */
  readonly isOnce?: true;
  readonly help: string;
}

const change = { layer: "change", value: "none" } as const;
const changeOnce = { ...change, isOnce: true } as const;
const header = { layer: "header", value: "none" } as const;
const delivery = { layer: "delivery", value: "none" } as const;
const slow = { layer: "delivery", value: "duration", byDefault: 3000 } as const;
const stream = { layer: "stream", value: "events", byDefault: 3 } as const;

/** Every fault that has a name; any status from 400 to 599 is one more. */
export const faultTraits = {
  html: { layer: "answer", value: "status", byDefault: 403, help: "an HTML page, as an edge rule sends it" },
  "message-only": {
    layer: "answer",
    value: "status",
    byDefault: 500,
    help: "an error body that holds `message` and nothing else",
  },
  empty: { ...change, value: "status", help: "no body; the answer's own status unless one is given" },
  "invalid-json": { ...change, help: "a body cut short, its length told as it is" },
  "duplicate-page": { ...change, help: "a further page brings the rows before it again" },
  "empty-page": { ...changeOnce, help: "a list without rows; totals and cursor as usual (once)" },
  "short-page": { ...changeOnce, help: "a list with the first half of its rows; the rest as usual (once)" },
  "missing-cursor": { ...changeOnce, help: "a page that promises another one and has no next_cursor (once)" },
  "stale-page": {
    ...changeOnce,
    help: "the previous response of the same list again, totals and cursor included (once)",
  },
  "repeat-cursor": { ...change, help: "a further page names its own cursor as the next" },
  "drop-filter": {
    ...change,
    value: "name",
    help: "a search leaves one filter out, of its rows and of its echo",
  },
  plan: { ...header, value: "tier", help: "X-Api-Plan names this plan (keyless)" },
  "no-plan-header": { ...header, help: "no X-Api-Plan" },
  "no-credit-headers": { ...header, help: "no X-Credits-*" },
  "no-ratelimit-headers": { ...header, help: "no RateLimit-* on a 429" },
  "no-retry-after": { ...header, help: "no Retry-After on a 429" },
  "reset-before": { ...delivery, help: "connection reset before a byte of the answer" },
  "reset-headers": { ...delivery, help: "connection reset in the headers" },
  "reset-body": { ...delivery, help: "connection reset in the middle of the body" },
  "reset-after": { ...delivery, help: "connection reset after a whole answer" },
  truncate: { ...delivery, help: "connection closed in the middle of the body" },
  "slow-headers": { ...slow, help: "headers trickle for this long (3s)" },
  "slow-body": { ...slow, help: "the body trickles for this long (3s)" },
  "stream-cut": { ...stream, help: "a stream is cut after this many events (3)" },
  "stream-silent": {
    ...stream,
    byDefault: 0,
    help: "after this many events (0) a stream sends nothing more, not even pings",
  },
  "stream-error": {
    ...stream,
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
