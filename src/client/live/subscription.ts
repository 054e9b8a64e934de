import { hideKey, refuseKey, createAuthorization } from "../target.ts";
import type { SendKind } from "../pace.ts";
import { type ChunkStream, openConnection } from "../streams/connection.ts";
import { isStreamLimitFailure, type StreamRequest, streamRefusal } from "../streams/stream-refusal.ts";
import { checkPlan } from "../response/plan-refusal.ts";
import { oldestSince } from "../../api/feeds/ohlcv-feed.ts";
import { usageFailure } from "../../base/failure.ts";
import { unlessAborted } from "../ending.ts";
import type { Opening, Subscription } from "../stream-options.ts";

/** `lastEventId` is empty if there is none. Throws a Failure if the stream is rejected or the connection fails. */
export type OpenConnection = (lastEventId: string, signal: AbortSignal) => Promise<ChunkStream>;

/** A rejection is thrown as a Failure that names inputs the way the user typed them. */
export function openerOf(opening: Opening & Subscription): OpenConnection {
  const { target, context, pace, ledger, timeout, command, feed, subjects, params } = opening;
  const { by } = opening.kind;
  const request: StreamRequest = { command, path: feed.path, subjects, by, plan: feed.plan };
  const authorize = createAuthorization(target);
  let wasOpen = false;
  let kind: SendKind = "opening";
  return async (lastEventId, signal) => {
    for (const { network, address } of subjects)
      for (const text of [network, address]) refuseKey(text, target.key);
    const url = urlOf(target.streaming, opening, wasOpen, opening.now?.() ?? context.clock.now());
    // A stream without events resumes at `since`. If that is too old, the service moves it forward.
    const since = wasOpen ? (params.get("since") ?? "") : "";
    const resumed = headerOf(lastEventId) ?? since;
    const turn = await unlessAborted(pace.turn(kind, signal), signal);
    // Checked last, because other processes may have spent the last credit during the wait.
    await unlessAborted(ledger.check(), signal);
    kind = "reopening";
    const sent = {
      url,
      headers: { ...authorize(url), ...(resumed !== "" && { "last-event-id": resumed }) },
      body: subjects.length > 1 ? bodyOf(opening) : undefined,
    };
    const opened = await openConnection(context, sent, { timeout, signal });
    const { headers } = opened.kind === "open" ? opened.connection : opened.answer;
    const plan = headers.get("x-api-plan");
    if (plan !== undefined) opening.plan?.counted(plan);
    if (opened.kind === "open") {
      try {
        checkPlan(plan, opening.plan?.required, undefined);
      } catch (cause) {
        opened.connection.close();
        throw cause;
      }
      wasOpen = true;
      return opened.connection;
    }
    const answer = hideKey(opened.answer, target.key);
    const refused = streamRefusal(answer, request, target);
    if (isStreamLimitFailure(refused)) {
      // A plan with no connections left does not affect the rate limit and leads to only a few retries.
      if (!wasOpen) kind = "opening";
    } else {
      const { status } = answer;
      await pace.record({ status, headers: answer.headers, retryAfter: refused.details.retryAfter }, turn);
    }
    checkPlan(plan, opening.plan?.required, refused);
    throw refused;
  };
}

/** Servers reject requests with long headers, so longer ids are not sent. */
const maxIdBytes = 1024;

/**
 * In UTF-8 (WHATWG HTML, The Last-Event-ID header). Returns undefined if the id is empty or not a valid header value:
 * every attempt to send such an id would fail, and the stream would never open again.
 */
function headerOf(id: string): string | undefined {
  const value = Buffer.from(id, "utf8").toString("latin1");
  const isValid = /^[\t\u0020-\u007e\u0080-\u00ff]*[!-\u007e\u0080-\u00ff]$/u.test(value);
  return isValid && value.length <= maxIdBytes ? value : undefined;
}

/** A single asset is sent in the query; several are sent in the body (specification, Streaming). */
function urlOf(
  base: string,
  { feed, kind, subjects, params }: Subscription,
  isResumed: boolean,
  now: number,
): URL {
  const url = new URL(`${base}${feed.path}`);
  const [only] = subjects;
  if (only === undefined) throw usageFailure("no asset to stream");
  if (subjects.length === 1) {
    url.searchParams.set("method", kind.method);
    url.searchParams.set("chain", only.network);
    url.searchParams.set("address", only.address);
  }
  for (const [name, value] of params) {
    // When resuming, `since` would take precedence, and the service rejects old values (wire-facts 5.2).
    if (name !== "since") url.searchParams.set(name, value);
    // A connection that is opened later, e.g. after a reload, cannot start as early.
    else if (!isResumed) url.searchParams.set(name, String(Math.max(Number(value), oldestSince(now))));
  }
  return url;
}

/** `request_id` is omitted, so it defaults to the entry's index (wire-facts 5.3). */
function bodyOf({ kind, subjects }: Subscription): string {
  return JSON.stringify(
    subjects.map(({ network, address }) => ({ chain: network, address, method: kind.method })),
  );
}
