import { supportedNetworks } from "../answers/answer.ts";
import { type Query, required } from "../query.ts";
import { choiceRule, invalidParam, refuse } from "../service-refusal.ts";
import type { SandboxState } from "../state.ts";
import { streamIntervals } from "./candle-events.ts";
import type { ServedFeed, StreamMethod } from "./served-feeds.ts";
import { refuseEntry, tokenNotIndexed } from "./stream-refusals.ts";
import type { Subject } from "./subject.ts";

export interface Subscription {
  readonly subject: Subject;
  readonly requestId: number;
}

const MAX_ASSETS = 25;
const MAX_REQUEST_ID = 4_294_967_295;

/** Wire-facts 5.2. */
export function readQuerySubscription(
  query: Query,
  feed: ServedFeed,
  state: SandboxState,
  at: number,
): Subscription {
  const method = required("method", query.text("method"));
  const known = feed.methods.find((each) => each === method);
  if (known === undefined) throw invalidParam("method", choiceRule(feed.methods));
  const chain = required("chain", query.text("chain"));
  const address = required("address", query.text("address"));
  const requestId = query.raw("request_id") ?? "0";
  if (!/^\d{1,10}$/.test(requestId) || Number(requestId) > MAX_REQUEST_ID) {
    throw invalidParam("request_id", "must be a number");
  }
  const interval = query.choice("interval", streamIntervals) ?? "1s";
  const subject = findSubject({ method: known, chain, address }, interval, state, at, "");
  return { subject, requestId: Number(requestId) };
}

/** Specification, Streaming: one bad asset refuses the whole batch. Wire-facts 5.3 for its form. */
export function readBodySubscriptions(
  body: string,
  feed: ServedFeed,
  state: SandboxState,
  at: number,
): readonly Subscription[] {
  const entries = readArray(body);
  if (entries.length > MAX_ASSETS) throw refuseEntry("body", feed.tooMany, "");
  return entries.map((entry, index) => readEntry(entry, index, feed, state, at));
}

function readArray(body: string): readonly unknown[] {
  const rule = "the body must be a JSON array of 1 to 25 objects {chain, address, method}";
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw refuse(400, "invalid_param", rule, { param: "body" });
  }
  if (!Array.isArray(parsed) || parsed.length === 0) {
    throw refuse(400, "invalid_param", rule, { param: "body" });
  }
  return parsed;
}

function readEntry(
  entry: unknown,
  index: number,
  feed: ServedFeed,
  state: SandboxState,
  at: number,
): Subscription {
  const place = `asset ${index}: `;
  if (typeof entry !== "object" || entry === null) throw refuseEntry("body", "must be an object", place);
  const text = (name: string): string => {
    const value: unknown = Reflect.get(entry, name);
    if (typeof value === "string" && value !== "") return value;
    if (value === undefined) throw refuse(400, "missing_param", `${place}missing ${name}`, { param: name });
    throw refuseEntry(name, `${name} must be a string`, place);
  };
  const method = text("method");
  const known = feed.methods.find((each) => each === method);
  if (known === undefined) {
    throw refuseEntry("method", `method ${choiceRule(feed.methods)}`, place);
  }
  const requestId: unknown = Reflect.get(entry, "request_id") ?? index;
  if (typeof requestId !== "number" || !Number.isInteger(requestId) || !isUint32(requestId)) {
    throw refuseEntry("request_id", "request_id must be a number", place);
  }
  const wanted = { method: known, chain: text("chain"), address: text("address") };
  return { subject: findSubject(wanted, "1s", state, at, place), requestId };
}

function isUint32(value: number): boolean {
  return value >= 0 && value <= MAX_REQUEST_ID;
}

function findSubject(
  wanted: { readonly method: StreamMethod; readonly chain: string; readonly address: string },
  interval: (typeof streamIntervals)[number],
  { market, dialect }: SandboxState,
  at: number,
  place: string,
): Subject {
  const { method, chain, address } = wanted;
  const network = supportedNetworks({ market, dialect }).find(({ id }) => id === chain);
  if (network === undefined) throw refuseEntry("chain", `unsupported chain: ${chain}`, place);
  if (method === "pool" || method === "pool_reserves") {
    const pool = market.pool(network, address, at);
    if (pool !== undefined) return { method, pool };
    throw refuseEntry("address", `pool not found: ${chain}/${address}`, place);
  }
  const token = market.token(network, address, at);
  if (token === undefined) {
    if (method === "token_ohlcv" && dialect === "public") throw tokenNotIndexed(chain, address);
    throw refuseEntry("address", `token not found: ${chain}/${address}`, place);
  }
  return method === "token_ohlcv" ? { method, token, interval } : { method, token };
}

const REACH_SECONDS = 15 * 60;

/**
 * Wire-facts 5.2: from which candle on a stream of candles begins, inclusive. `since` wins over `Last-Event-ID`; too
 * old, the one is refused and the other moved up to 15 minutes ago. Undefined: with the next candle.
 */
export function readBackfill(
  query: Query,
  headers: Readonly<Record<string, string | undefined>>,
  at: number,
): number | undefined {
  const since = query.integer("since", 0, 99_999_999_999);
  if (since !== undefined) {
    if (since < at - REACH_SECONDS) throw invalidParam("since", "must be at most 15 minutes ago");
    return since;
  }
  const last = headers["last-event-id"] ?? "";
  // One that is no candle's is ignored; so is one of the future, from which on there are none.
  if (!/^\d{1,11}$/.test(last)) return undefined;
  return Math.max(Number(last), at - REACH_SECONDS);
}
