import { type Arrived, arrive, bodyIn, respondRefusal, respondWith } from "../service/arrival.ts";
import { plans, type Tier } from "../../api/tier.ts";
import { billing } from "../service/billing-refusals.ts";
import { guard, planRequiredBy } from "../service/guards.ts";
import type { Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import type { JsonObject } from "../wire/json-writer.ts";
import type { Dialect, SandboxRequest, SandboxResponse } from "../sandbox-exchange.ts";
import {
  asRefusal,
  internalError,
  methodNotAllowed,
  refuse,
  type Refusal,
  removedStream,
} from "../wire/service-refusal.ts";
import type { SandboxState } from "../service/state.ts";
import type { Work } from "../work.ts";
import { pastCandles } from "./candle-events.ts";
import {
  type FeedRequest,
  findFeed,
  readBackfill,
  readSubscriptions,
  type Subscription,
} from "./subscriptions.ts";
import { sourceOf } from "./feed-events.ts";
import { EventStream, type StreamSink } from "./served-stream.ts";
import { type StreamHub, streamOwner, tooManyStreams } from "./stream-hub.ts";

/** Handles a request without a socket. Opening a stream counts toward the rate limit but is free. */
export function* openStream(request: SandboxRequest, state: SandboxState, hub: StreamHub): Work<Opening> {
  // Must come first, because events are sent from the arrival on.
  for (const word of new Set(`${request.target} ${request.body}`.split(/[^\w-]+/u))) {
    const network = state.market.network(word);
    if (network !== undefined) yield* state.market.prepareLookups(network);
  }
  const arrived = arrive(request, state);
  try {
    const order = judge(arrived, hub);
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" };
    return {
      response: respondWith(arrived, { status: 200, headers }, "", 0),
      start: (sink) => start(arrived, order, hub, sink),
    };
  } catch (cause) {
    const refusal = asRefusal(cause);
    const body = streamBodyIn(state.dialect, refusal);
    return { response: respondRefusal(arrived, refusal, 0, body), start: undefined };
  }
}

export interface Opening {
  readonly response: SandboxResponse;
  /** Must be called immediately, because the stream limit has already been checked. Undefined for a rejection. */
  readonly start: ((sink: StreamSink) => EventStream) | undefined;
}

/** Wire-facts 5.7: the public service has different error messages, except for plan and billing errors. */
function streamBodyIn(dialect: Dialect, refusal: Refusal): JsonObject {
  const written = bodyIn(dialect, refusal);
  if (written === refusal.body) return written;
  if (refusal.status === 401) return { message: "api key verification has failed" };
  return refusal.body["error"] === "route_not_found" ? { message: "Not Found" } : written;
}

/** Throws the first applicable rejection. The stream limit comes last, because an invalid request is always invalid. */
function judge(arrived: Arrived, hub: StreamHub) {
  const { request, pathname, query, dialect, caller, account } = arrived;
  // Specification, Removed endpoints: always 410, for every caller.
  if (pathname === "/stream") throw removedStream(dialect);
  const feed = findFeed(pathname, dialect);
  const plan = feed && planOfStream({ ...arrived, feed });
  // A caller that cannot pay for a single update is rejected, even though opening a stream is free.
  const refusal = guard(arrived, 1, plan);
  if (refusal !== undefined) throw refusal;
  if (feed === undefined) throw refuse(404, "route_not_found", `path not found: ${pathname}`);
  if (!feed.verbs.some((verb) => verb === request.method))
    throw methodNotAllowed(`${request.method} is not allowed here`, feed.verbs.join(", "));
  const subscriptions = readSubscriptions({ ...arrived, feed });
  const limit = query.integer("limit", 1, Number.MAX_SAFE_INTEGER) ?? Number.POSITIVE_INFINITY;
  const backfill = feed.params.includes("since") ? readBackfill(arrived) : undefined;
  const owner = streamOwner(caller, request.remoteAddress, dialect);
  const full = tooManyStreams(hub.owners, owner, account.tier, dialect);
  if (full !== undefined) throw full;
  return { subscriptions, limit, backfill, owner };
}

/** Specification, Authentication 7. Only the public service has a keyless preview (wire-facts 2.2). */
function planOfStream(request: FeedRequest): Refusal | undefined {
  const { market, dialect, account, at } = request;
  const { plan } = request.feed;
  const { tier } = account;
  if (plans[plan].hosts === "paid") return planRequiredBy(plan, tier);
  if (dialect === "spec" || tier !== "keyless") return undefined;
  if (plan !== "keyless") return previewOnly(tier);
  const isShown = readableSubscriptions(request).every(
    ({ subject }) => "token" in subject && isPreviewAsset(market, subject.token, at),
  );
  return isShown ? undefined : previewOnly(tier);
}

function previewOnly(tier: Tier): Refusal {
  const message = "keyless streams show the preview assets only — register for a free key";
  return billing(403, { error: "preview_only", tier, message });
}

/** Empty if any subscription is invalid, in which case the request is rejected with a 400. */
function readableSubscriptions(request: FeedRequest): readonly Subscription[] {
  try {
    return readSubscriptions(request);
  } catch {
    return [];
  }
}

const PREVIEW_ASSETS = 35;

/**
 * Whether keyless streams include the token (public dialect). Only two of the 35 preview assets are known, WETH on
 * Ethereum and wrapped SOL on Solana, so the sandbox uses the most common quote token on each of 35 networks.
 */
function isPreviewAsset(market: Market, token: Token, at: number): boolean {
  const { network } = token;
  if (!market.networks.slice(0, PREVIEW_ASSETS).includes(network)) return false;
  const [symbol] = network.hubs;
  // Other tokens may have the same symbol, but the real one comes first in the list.
  return market.tokens(network, at).find((each) => each.symbol === symbol) === token;
}

function start(
  { account, market, dialect, at }: Arrived,
  { subscriptions, limit, backfill, owner }: ReturnType<typeof judge>,
  hub: StreamHub,
  sink: StreamSink,
): EventStream {
  const stream = new EventStream(account, owner, limit, sink, () => hub.remove(stream));
  try {
    for (const { subject, requestId } of backfill === undefined ? [] : subscriptions) {
      const source = sourceOf(subject, market, dialect, at);
      for (const candle of pastCandles(source, backfill ?? at, at)) stream.deliver(candle, requestId, at);
    }
  } catch (error) {
    stream.fail(internalError(error));
  }
  if (!stream.isOver) hub.add(stream, market, subscriptions, at);
  return stream;
}
