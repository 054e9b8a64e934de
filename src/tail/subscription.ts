import type { Subject } from "../client/pages/page.ts";
import { hideKey, refuseKey } from "../client/connection/target.ts";
import type { Pace, SendKind } from "../client/pace/pace.ts";
import { type Connection, openConnection } from "../client/streams/connection.ts";
import {
  isStreamLimitFailure,
  type StreamQuestion,
  streamRefusal,
} from "../client/streams/stream-refusal.ts";
import { createAuthorization, type Target } from "../client/connection/target.ts";
import type { Context } from "../context/context.ts";
import { usageFailure } from "../contract/failure.ts";
import type { Feed, FeedKind } from "../contract/feed.ts";
import { unlessAborted } from "./ending.ts";

/** The assets and the feed of one connection. */
export interface Subscription {
  readonly feed: Feed;
  readonly kind: FeedKind;
  readonly subjects: readonly Subject[];
  /** Parameters of the feed: `interval`, `since`. */
  readonly params: ReadonlyMap<string, string>;
}

/** How connections are opened, and with which key. */
export interface Opening {
  readonly target: Target;
  readonly context: Pick<Context, "clock" | "env">;
  /** An opening counts against the rate limit like any request. */
  readonly pace: Pace;
  /** Milliseconds until the headers arrive. */
  readonly timeout: number;
  /** The command for messages: `stream --feed prices`. */
  readonly command: string;
  /** Receives the plan that the host applies to the stream. */
  readonly counted?: (plan: string) => void;
}

/**
 * Opens the stream once. `lastEventId` is where to resume, "" where the stream has no ids. Throws a Failure when the
 * service rejects it or the connection fails.
 */
export type OpenShard = (lastEventId: string, signal: AbortSignal) => Promise<Connection>;

/** Opens the subscription; a rejection is a Failure in the user's terms. */
export function openerOf(opening: Opening, subscription: Subscription): OpenShard {
  const { target, context, pace, timeout, command } = opening;
  const { feed, subjects } = subscription;
  const question: StreamQuestion = { command, path: feed.path, subjects, plan: feed.plan };
  const authorize = createAuthorization(target);
  let wasOpen = false;
  let kind: SendKind = "opening";
  return async (lastEventId, signal) => {
    for (const { network, address } of subjects)
      for (const text of [network, address]) refuseKey(text, target.key);
    const url = urlOf(target.streaming, subscription, wasOpen);
    // A stream that starts at `since` and has had no event resumes there; the service moves an id that is too old.
    const since = wasOpen ? (subscription.params.get("since") ?? "") : "";
    const resumed = headerOf(lastEventId) ?? since;
    const turn = await unlessAborted(pace.turn(kind, signal), signal);
    kind = "reopening";
    const request = {
      url,
      headers: { ...authorize(url), ...(resumed !== "" && { "last-event-id": resumed }) },
      body: subjects.length > 1 ? bodyOf(subscription) : undefined,
    };
    const opened = await openConnection(context, request, { timeout, signal });
    const { headers } = opened.kind === "open" ? opened.connection : opened.answer;
    const plan = headers.get("x-api-plan");
    if (plan !== undefined) opening.counted?.(plan);
    if (opened.kind === "open") {
      wasOpen = true;
      return opened.connection;
    }
    const answer = hideKey(opened.answer, target.key);
    const refused = streamRefusal(answer, question, target);
    if (isStreamLimitFailure(refused)) {
      // A plan without free connections does not affect the rate, and only a few retries follow.
      if (!wasOpen) kind = "opening";
    } else {
      const { status } = answer;
      await pace.heard({ status, headers: answer.headers, retryAfter: refused.details.retryAfter }, turn);
    }
    throw refused;
  };
}

/** Servers reject requests with long headers. */
const maxIdBytes = 1024;

/**
 * The id as a header value, encoded in UTF-8 (WHATWG HTML, The Last-Event-ID header). Undefined for an id that is empty or
 * that no header can hold: every attempt to send it would fail, and the asset would never get a connection.
 */
function headerOf(id: string): string | undefined {
  const value = Buffer.from(id, "utf8").toString("latin1");
  const isValid = /^[\t\u0020-\u007e\u0080-\u00ff]*[!-\u007e\u0080-\u00ff]$/u.test(value);
  return isValid && value.length <= maxIdBytes ? value : undefined;
}

/** One asset is requested in the query, several in the body (specification, Streaming). */
function urlOf(base: string, { feed, kind, subjects, params }: Subscription, isResumed: boolean): URL {
  const url = new URL(`${base}${feed.path}`);
  const [only] = subjects;
  if (only === undefined) throw usageFailure("no asset to stream");
  if (subjects.length === 1) {
    url.searchParams.set("method", kind.method);
    url.searchParams.set("chain", only.network);
    url.searchParams.set("address", only.address);
  }
  for (const [name, value] of params) {
    // The service prefers `since` to the id of a resumed stream, and rejects it when it is old (wire-facts 5.2).
    if (!(isResumed && name === "since")) url.searchParams.set(name, value);
  }
  return url;
}

/** `request_id` keeps its default, the entry's index (wire-facts 5.3). */
function bodyOf({ kind, subjects }: Subscription): string {
  return JSON.stringify(
    subjects.map(({ network, address }) => ({ chain: network, address, method: kind.method })),
  );
}
