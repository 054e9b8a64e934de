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
 * headers, `delivery` the transfer of the bytes, and `stream` an open stream. A request has at most one of the layer
 * `answer` and one of `delivery`; the others add up.
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
  html: { layer: "answer", value: "status", byDefault: 403, help: "HTML page, as from an edge firewall" },
  "message-only": {
    layer: "answer",
    value: "status",
    byDefault: 500,
    help: "Error body with `message` only",
  },
  empty: { ...change, value: "status", help: "Empty body, with the original status or the given one" },
  "invalid-json": { ...change, help: "Truncated body, with a length header that matches it" },
  "duplicate-page": { ...change, help: "A later page repeats the rows of the previous page" },
  "empty-page": { ...changeOnce, help: "List without rows; totals and cursor unchanged (once)" },
  "short-page": {
    ...changeOnce,
    help: "List with the first half of its rows; totals and cursor unchanged (once)",
  },
  "missing-cursor": { ...changeOnce, help: "Page that promises another page but has no next_cursor (once)" },
  "stale-page": {
    ...changeOnce,
    help: "Repeat the previous response for the same list, including totals and cursor (once)",
  },
  "repeat-cursor": { ...change, help: "A later page returns its own cursor as next_cursor" },
  "drop-filter": {
    ...change,
    value: "name",
    help: "A search ignores one filter, in the rows and in the echoed query",
  },
  plan: { ...header, value: "tier", help: "X-Api-Plan with this plan (default keyless)" },
  "no-plan-header": { ...header, help: "No X-Api-Plan header" },
  "no-credit-headers": { ...header, help: "No X-Credits-* headers" },
  "no-ratelimit-headers": { ...header, help: "No RateLimit-* headers on a 429" },
  "no-retry-after": { ...header, help: "No Retry-After header on a 429" },
  "reset-before": { ...delivery, help: "Connection reset before the response" },
  "reset-headers": { ...delivery, help: "Connection reset while sending the headers" },
  "reset-body": { ...delivery, help: "Connection reset while sending the body" },
  "reset-after": { ...delivery, help: "Connection reset after a complete response" },
  truncate: { ...delivery, help: "Connection closed while sending the body" },
  "slow-headers": { ...slow, help: "Headers arrive slowly, over this long (default 3s)" },
  "slow-body": { ...slow, help: "Body arrives slowly, over this long (default 3s)" },
  "stream-cut": { ...stream, help: "Stream cut after this many events (default 3)" },
  "stream-silent": {
    ...stream,
    byDefault: 0,
    help: "Stream open but silent, without even pings, after this many events (default 0)",
  },
  "stream-error": {
    ...stream,
    help: "Stream closed with an `error` event after this many events (default 3)",
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
  help: "This status with its usual body; 429=7 sets Retry-After: 7",
};
