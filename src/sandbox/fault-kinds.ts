/** Something that goes wrong on purpose, and when. */
export interface Fault {
  readonly kind: FaultName | "status";
  readonly text: string;
  /** A status, milliseconds, or a number of events, rows or blocks; undefined for kinds without an amount. */
  readonly amount: number | undefined;
  /** A plan, the name of a filter, or the seconds of Retry-After on a 429. */
  readonly word: string | undefined;
  readonly when: When;
  /** Text that the request path must contain; undefined matches all paths. */
  readonly path: string | undefined;
}

/** Counted from 1 among the requests that the fault applies to. For market faults, the share is one of what `of` names. */
export type When =
  /** This share of requests starts a burst of `length` requests. */
  | { readonly by: "rate"; readonly share: number; readonly length: number }
  /** Both ends are inclusive, and `to` may be Infinity. */
  | { readonly by: "range"; readonly from: number; readonly to: number };

export type Faults = readonly Fault[];

/**
 * `answer` replaces the response, `change` alters the request or the body, `header` alters headers, `delivery` alters
 * the transfer, and `stream` affects an open stream. A request has at most one `answer` and one `delivery` fault.
 * `market` changes the market that all requests see, and `cache` keeps responses.
 */
type FaultLayer = "answer" | "change" | "header" | "delivery" | "stream" | "market" | "cache";

export type FaultValue = "none" | "status" | "duration" | "events" | "blocks" | "rows" | "tier" | "name";

export interface FaultTraits {
  readonly layer: FaultLayer;
  readonly value: FaultValue;
  /** Milliseconds, a status, or a number of events, rows or blocks. */
  readonly byDefault?: number;
  /** For market faults that do not affect everything. The share is the default. */
  readonly sample?: { readonly of: "rows" | "blocks" | "pools"; readonly share: number };
  readonly example?: string;
  /** Affects only the first matching request unless a position, count or rate is given. */
  readonly isOnce?: true;
  readonly help: string;
}

const answer = { layer: "answer", value: "status" } as const;
const change = { layer: "change", value: "none" } as const;
const changeOnce = { ...change, isOnce: true } as const;
const header = { layer: "header", value: "none" } as const;
const delivery = { layer: "delivery", value: "none" } as const;
const slow = { layer: "delivery", value: "duration", byDefault: 3000 } as const;
const stream = { layer: "stream", value: "events", byDefault: 3 } as const;
const market = { layer: "market", value: "duration" } as const;

/** Any status from 400 to 599 is also a fault. */
export const faultTraits = {
  html: { ...answer, byDefault: 403, help: "HTML page, as from an edge firewall" },
  "message-only": { ...answer, byDefault: 500, help: "Error body with `message` only" },
  empty: { ...change, value: "status", help: "Empty body, with the original status or the given one" },
  "invalid-json": { ...change, help: "Truncated body, with a length header that matches it" },
  "duplicate-page": { ...change, help: "A later page repeats the rows of the previous page" },
  "empty-page": { ...changeOnce, help: "List without rows; totals and cursor unchanged (once)" },
  "no-rows": { ...changeOnce, help: "List without rows, with totals of 0 and no cursor (once)" },
  "short-page": {
    ...changeOnce,
    help: "List with the first half of its rows; totals and cursor unchanged (once)",
  },
  "overlap-page": {
    ...changeOnce,
    value: "rows",
    byDefault: 3,
    help: "A later page begins with the last rows of the previous page, instead of its own first rows (default 3, once)",
  },
  "foreign-page": {
    ...changeOnce,
    help: "Rows or record of another pool, token or network; page number and totals unchanged (once)",
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
  "wrong-date": {
    ...header,
    value: "duration",
    byDefault: 259_200_000,
    help: "Date header this far ahead (default 3d)",
  },
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
  "edge-cache": {
    layer: "cache",
    value: "duration",
    byDefault: 60_000,
    help: "Responses are cached for this long in real time (default 60s), or for 10m while the service fails; they carry an Age header; with :free, copies cost no credits; with :path, the cache ignores the query",
  },
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
  "late-rows": {
    ...market,
    byDefault: 90_000,
    sample: { of: "rows", share: 0.02 },
    example: "late-rows=90s:2%",
    help: "2% of the rows are listed, counted and streamed only when they are 90s old (default 90s:2%)",
  },
  "late-pools": {
    ...market,
    byDefault: 600_000,
    sample: { of: "pools", share: 0.2 },
    example: "late-pools=10m:20%",
    help: "20% of the pools appear in searches only when they are 10m old (default 10m:20%)",
  },
  "withdrawn-rows": {
    ...market,
    byDefault: 60_000,
    sample: { of: "rows", share: 0.01 },
    example: "withdrawn-rows=60s:1%",
    help: "1% of the rows are followed by an extra row, which disappears when it is 60s old (default 60s:1%)",
  },
  reorg: {
    ...market,
    value: "blocks",
    byDefault: 3,
    sample: { of: "blocks", share: 0.01 },
    example: "reorg=3:1%",
    help: "In 1% of the blocks, transactions are in other places or missing until 3 later blocks exist (default 3:1%)",
  },
  reach: {
    ...market,
    byDefault: 7 * 86_400_000,
    example: "reach=7d",
    help: "Transactions older than this are neither listed nor counted (default 7d)",
  },
} as const satisfies Readonly<Record<string, FaultTraits>>;

export type FaultName = keyof typeof faultTraits;

export function isFaultName(word: string): word is FaultName {
  return Object.hasOwn(faultTraits, word);
}

export function traitsOf(name: FaultName | "status"): FaultTraits {
  return name === "status" ? statusTraits : faultTraits[name];
}

const statusTraits: FaultTraits = {
  ...answer,
  help: "This status with its usual body; 429=7 sets Retry-After: 7",
};
