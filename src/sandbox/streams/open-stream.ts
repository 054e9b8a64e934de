import { identify } from "../caller.ts";
import type { Accounting, SandboxResponse } from "../exchange.ts";
import { guard } from "../guards.ts";
import { keyOf, splitTarget, standardHeaders } from "../handle.ts";
import { writeJson } from "../json-writer.ts";
import { Query } from "../query.ts";
import { refuse, Refusal } from "../refusal.ts";
import type { SandboxState } from "../state.ts";
import { pastCandles } from "./candle-events.ts";
import { EventStream, type StreamSink } from "./event-stream.ts";
import { type Feed, findFeed } from "./feeds.ts";
import { type Arrived, planOfStream, type StreamRequest } from "./plan-of-stream.ts";
import { readBackfill } from "./read-backfill.ts";
import { readBodySubscriptions, readQuerySubscription, type Subscription } from "./read-subscriptions.ts";
import { streamOwner } from "./stream-census.ts";
import type { StreamHub } from "./stream-hub.ts";
import { blockedPage } from "../blocked-page.ts";
import { internalError, refusalBody, removedStream } from "./stream-refusals.ts";
import { sourceOf } from "./subject.ts";

export type Opening =
  | { readonly kind: "refused"; readonly response: SandboxResponse }
  | {
      readonly kind: "open";
      readonly status: 200;
      readonly headers: Readonly<Record<string, string>>;
      readonly account: Accounting;
      /** To be called at once: it takes the place that was found free. */
      readonly start: (sink: StreamSink) => EventStream;
    };

/**
 * What a streaming host does with a request, without its socket. The guards are those of REST; opening counts
 * against the minute and costs nothing, and neither does a refusal.
 */
export function openStream(request: StreamRequest, state: SandboxState, hub: StreamHub): Opening {
  const at = state.at();
  const caller = identify(request.headers["authorization"], request.host, state.dialect);
  const account = state.account(caller, request.remoteAddress);
  const [path, search] = splitTarget(request.target);
  const arrived: Arrived = { request, path, query: new Query(search, at), caller, account, at };
  const headers = standardHeaders(state, account, at);
  const accounting: Accounting = { plan: account.tier, key: keyOf(caller), credits: 0 };
  try {
    const order = judge(arrived, state, hub);
    return {
      kind: "open",
      status: 200,
      headers: { ...headers, "Content-Type": "text/event-stream", "Cache-Control": "no-cache" },
      account: accounting,
      start: (sink) => start(arrived, order, state, hub, sink),
    };
  } catch (cause) {
    const error = cause instanceof Refusal ? cause : refuse(500, "internal_error", internalError(cause));
    const page = error.status === 401 ? blockedPage(caller, state.dialect) : undefined;
    return {
      kind: "refused",
      response: {
        status: page === undefined ? error.status : 403,
        headers: { ...headers, ...error.headers, ...(page && { "Content-Type": "text/html" }) },
        body: page ?? writeJson(refusalBody(error, state.dialect)),
        account: accounting,
      },
    };
  }
}

interface Order {
  readonly subscriptions: readonly Subscription[];
  readonly limit: number;
  /** Candles from there on come first; unix seconds. */
  readonly backfill: number | undefined;
}

/** Throws the first refusal. A place among the streams is looked for last: a bad request is bad anyway. */
function judge(arrived: Arrived, state: SandboxState, hub: StreamHub): Order {
  const { request, path, query, caller, account, at } = arrived;
  // Specification, Removed endpoints: 410 for everybody.
  if (path === "/stream") throw removedStream(state.dialect);
  const feed = findFeed(path, state.dialect);
  const streamPlan =
    feed && planOfStream(feed, arrived, state, () => readSubscriptions(feed, arrived, state));
  const elapsed = state.options.elapsed();
  // Who could not pay for one update is refused, though opening costs nothing.
  const { host } = request;
  const refusal = guard({
    host,
    caller,
    account,
    route: undefined,
    streamPlan,
    query,
    cost: 1,
    at,
    elapsed,
  });
  if (refusal !== undefined) throw refusal;
  if (feed === undefined) throw refuse(404, "route_not_found", `no such path: ${path}`);
  if (!feed.verbs.some((verb) => verb === request.method)) throw methodNotAllowed(request.method, feed);
  const order = {
    subscriptions: readSubscriptions(feed, arrived, state),
    limit: query.integer("limit", 1, Number.MAX_SAFE_INTEGER) ?? Number.POSITIVE_INFINITY,
    backfill: feed.path === "/sse/ohlcv" ? readBackfill(query, request.headers, at) : undefined,
  };
  const owner = streamOwner(caller, request.remoteAddress, state.dialect);
  const full = hub.census.refusal(owner, account.tier, state.dialect);
  if (full !== undefined) throw full;
  return order;
}

function readSubscriptions(
  feed: Feed,
  { request, query, at }: Arrived,
  state: SandboxState,
): readonly Subscription[] {
  return request.method === "POST"
    ? readBodySubscriptions(request.body, feed, state, at)
    : [readQuerySubscription(query, feed, state, at)];
}

function start(
  { request, caller, account, at }: Arrived,
  { subscriptions, limit, backfill }: Order,
  state: SandboxState,
  hub: StreamHub,
  sink: StreamSink,
): EventStream {
  const owner = streamOwner(caller, request.remoteAddress, state.dialect);
  hub.census.enter(owner);
  const release = state.holdAccount(account);
  let leaveHub: (() => void) | undefined;
  const stream = new EventStream(account, limit, sink, () => {
    hub.census.leave(owner);
    release();
    leaveHub?.();
  });
  try {
    for (const { subject, requestId } of backfill === undefined ? [] : subscriptions) {
      const source = sourceOf(subject, state.market, state.dialect, at);
      for (const candle of pastCandles(source, backfill ?? at, at)) stream.deliver(candle, requestId, at);
    }
  } catch (error) {
    stream.fail(internalError(error));
  }
  if (!stream.isOver) leaveHub = hub.add(stream, subscriptions, at);
  return stream;
}

function methodNotAllowed(method: string, { verbs }: Feed): Refusal {
  const { status, body } = refuse(405, "method_not_allowed", `${method} is not allowed here`);
  return new Refusal(status, body, { Allow: verbs.join(", ") });
}
