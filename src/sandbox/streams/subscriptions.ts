import { parseJson } from "../../base/json/json-scan.ts";
import { assetsPerPost, type Feed } from "../../api/feed.ts";
import {
  type FeedName,
  feeds,
  longestBackfill,
  type StreamInterval,
  streamIntervals,
} from "../../api/feeds.ts";
import { supportedNetworks } from "../answers/answer.ts";
import type { Dialect } from "../sandbox-exchange.ts";
import type { Arrived } from "../service/arrival.ts";
import { required } from "../wire/query.ts";
import { choiceRule, invalidParam, Refusal, refuse } from "../wire/service-refusal.ts";
import type { Subject } from "./feed-events.ts";

interface Serving {
  /** A method's name is also the name of its events. */
  readonly methods: readonly Subject["method"][];
  readonly verbs: readonly ("GET" | "POST")[];
  /** The message for a batch that exceeds the limit (wire-facts 5.7). */
  readonly tooMany: string;
}

type ServedFeed = Feed & Serving;

const [getOnly, getAndPost] = [["GET"], ["GET", "POST"]] as const;
const tooMany = "too many assets, max 25 allowed";
const prices: Serving = { methods: ["token_price"], verbs: getAndPost, tooMany };
const transactions: Serving = { methods: ["pool", "token"], verbs: getOnly, tooMany };
const ohlcv: Serving = { methods: ["token_ohlcv"], verbs: getOnly, tooMany };
const reserves: Serving = {
  methods: ["pool_reserves", "token_reserves"],
  verbs: getAndPost,
  tooMany: "too many subscriptions",
};

/** Specification, Streaming, and wire-facts 5.1. `undefined` means that the dialect does not have the feed. */
const served: Readonly<Record<FeedName, Readonly<Record<Dialect, Serving | undefined>>>> = {
  prices: { spec: prices, public: { ...prices, methods: ["token_price", "t_p"] } },
  transactions: { spec: transactions, public: { ...transactions, verbs: getAndPost } },
  ohlcv: { spec: ohlcv, public: ohlcv },
  reserves: { spec: undefined, public: reserves },
};

export function findFeed(path: string, dialect: Dialect): ServedFeed | undefined {
  const feed = Object.values(feeds).find((each) => each.path === path);
  const serving = feed && served[feed.name][dialect];
  return feed && serving && { ...feed, ...serving };
}

export interface Subscription {
  readonly subject: Subject;
  readonly requestId: number;
}

const MAX_REQUEST_ID = 4_294_967_295;

export interface FeedRequest extends Arrived {
  readonly feed: ServedFeed;
}

export function readSubscriptions(reading: FeedRequest): readonly Subscription[] {
  const isBatch = reading.request.method === "POST";
  return isBatch ? readBodySubscriptions(reading) : [readQuerySubscription(reading)];
}

/** Wire-facts 5.2. */
function readQuerySubscription(reading: FeedRequest): Subscription {
  const { query, feed } = reading;
  const { methods } = feed;
  const word = required("method", query.text("method"));
  const method = methods.find((each) => each === word);
  if (method === undefined) throw invalidParam("method", choiceRule(methods));
  const chain = required("chain", query.text("chain"));
  const address = required("address", query.text("address"));
  const requestId = query.raw("request_id") ?? "0";
  if (!/^\d{1,10}$/.test(requestId) || Number(requestId) > MAX_REQUEST_ID) {
    throw invalidParam("request_id", "must be a number");
  }
  const interval = query.choice("interval", streamIntervals) ?? "1s";
  const subject = findSubject(reading, { method, chain, address, interval }, "");
  return { subject, requestId: Number(requestId) };
}

/** Specification, Streaming: one invalid asset invalidates the entire batch. Wire-facts 5.3 describes the format. */
function readBodySubscriptions(reading: FeedRequest): readonly Subscription[] {
  const entries = readArray(reading.request.body);
  if (entries.length > assetsPerPost) throw badEntry("body", reading.feed.tooMany);
  return entries.map((entry, index) => readEntry(reading, entry, index));
}

function readArray(body = ""): readonly unknown[] {
  const parsed = parseJson(body);
  if (Array.isArray(parsed) && parsed.length > 0) return parsed;
  throw badEntry("body", "the body must be a JSON array of 1 to 25 objects {chain, address, method}");
}

function readEntry(reading: FeedRequest, entry: unknown, index: number): Subscription {
  const place = `asset ${index}: `;
  if (typeof entry !== "object" || entry === null) throw badEntry("body", `${place}must be an object`);
  const text = (name: string): string => {
    const value: unknown = Reflect.get(entry, name);
    if (typeof value === "string" && value !== "") return value;
    if (value === undefined) throw refuse(400, "missing_param", `${place}missing ${name}`, { param: name });
    throw badEntry(name, `${place}${name} must be a string`);
  };
  const word = text("method");
  const { methods } = reading.feed;
  const method = methods.find((each) => each === word);
  if (method === undefined) throw badEntry("method", `${place}method ${choiceRule(methods)}`);
  const requestId: unknown = Reflect.get(entry, "request_id") ?? index;
  if (
    typeof requestId !== "number" ||
    !Number.isInteger(requestId) ||
    requestId < 0 ||
    requestId > MAX_REQUEST_ID
  ) {
    throw badEntry("request_id", `${place}request_id must be a number`);
  }
  const wanted = { method, chain: text("chain"), address: text("address"), interval: "1s" } as const;
  return { subject: findSubject(reading, wanted, place), requestId };
}

/** Specification, "Errors" section: before a stream opens, errors are 400 even where REST returns 404. */
function badEntry(param: string, message: string): Refusal {
  return refuse(400, "invalid_param", message, { param });
}

interface Wanted {
  readonly method: Subject["method"];
  readonly chain: string;
  readonly address: string;
  readonly interval: StreamInterval;
}

function findSubject(reading: FeedRequest, wanted: Wanted, place: string): Subject {
  const { market, dialect, at } = reading;
  const { method, chain, address, interval } = wanted;
  const network = supportedNetworks(reading).find(({ id }) => id === chain);
  if (network === undefined) throw badEntry("chain", `${place}unsupported chain: ${chain}`);
  if (method === "pool" || method === "pool_reserves") {
    const pool = market.pool(network, address, at);
    if (pool !== undefined) return { method, pool };
    throw badEntry("address", `${place}pool not found: ${chain}/${address}`);
  }
  const token = market.token(network, address, at);
  if (token !== undefined) {
    return method === "token_ohlcv" ? { method, token, interval } : { method, token };
  }
  const message = `token not found: ${chain}/${address}`;
  // Wire-facts 5.7: only in this case does the public service reject a stream with a 404 because of an asset.
  if (method === "token_ohlcv" && dialect === "public") throw new Refusal(404, { message });
  throw badEntry("address", `${place}${message}`);
}

/**
 * Wire-facts 5.2: `since` overrides `Last-Event-ID`. A `since` that is too old is rejected, while a `Last-Event-ID`
 * that is too old becomes 15 minutes ago. If undefined, the stream starts with the next candle.
 */
export function readBackfill({ query, request, at }: Arrived): number | undefined {
  const since = query.integer("since", 0, 99_999_999_999);
  if (since !== undefined) {
    if (since < at - longestBackfill) throw invalidParam("since", "must be at most 15 minutes ago");
    return since;
  }
  const last = String(request.headers["last-event-id"] ?? "");
  // An ID that is not a candle timestamp is ignored. No candles follow an ID in the future.
  if (!/^\d{1,11}$/.test(last)) return undefined;
  return Math.max(Number(last), at - longestBackfill);
}
