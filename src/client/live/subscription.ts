import { oldestSince } from "../../api/feeds.ts";
import type { Context } from "../../base/context/context.ts";
import { fail, Failure, invalidResponse, usageFailure } from "../../base/failure.ts";
import {
  type Chunks,
  chunksOf,
  codingOf,
  type OpenAnswer,
  readAnswerBody,
  type Answer,
} from "../connection/answer-body.ts";
import { connectionFailure } from "../connection/connection-failure.ts";
import { createAgent, receive, type SendOptions, withDeadline } from "../connection/transport.ts";
import { unlessAborted } from "../ending.ts";
import type { SendKind } from "../pace.ts";
import { readErrorBody } from "../response/refusal.ts";
import { appliedPlan, checkAppliedPlan, createAuthorization, hideKey, refuseKey } from "../target.ts";
import type { Opening, Subscription } from "../stream-options.ts";
import { isStreamLimitFailure, streamRefusal } from "../streams/stream-refusal.ts";

/** An open stream. */
export interface ChunkStream {
  readonly headers: ReadonlyMap<string, string>;
  /**
   * Each read returns all chunks that have arrived, and the socket is paused while the reader is slow. The chunks end
   * when the service ends the stream; a Failure is thrown if the connection is lost.
   */
  readonly chunks: Chunks;
  readonly close: () => void;
}

/** `lastEventId` is empty if there is none. Throws a Failure if the stream is rejected or the connection fails. */
export type OpenConnection = (lastEventId: string, signal: AbortSignal) => Promise<ChunkStream>;

/** A rejection is thrown as a Failure that names inputs the way the user typed them. */
export function openerOf(opening: Opening & Subscription): OpenConnection {
  const { target, context, pace, ledger, timeout, subjects, params } = opening;
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
    const opened = await openConnection(context, sent, { timeout, signal }).catch((cause: unknown) => {
      opening.plan.answered(undefined, undefined);
      throw cause;
    });
    const plan = appliedPlan(opened);
    opening.plan.answered("chunks" in opened ? 200 : opened.status, plan);
    if ("chunks" in opened) {
      try {
        checkAppliedPlan(plan, opening.plan.required, undefined);
      } catch (cause) {
        opened.close();
        throw cause;
      }
      wasOpen = true;
      return opened;
    }
    const answer = hideKey(opened, target.key);
    const refused = streamRefusal(answer, opening, target);
    if (isStreamLimitFailure(refused)) {
      // A plan with no connections left does not affect the rate limit and leads to only a few retries.
      if (!wasOpen) kind = "opening";
    } else {
      const { status } = answer;
      await pace.record({ status, headers: answer.headers, retryAfter: refused.details.retryAfter }, turn);
    }
    checkAppliedPlan(plan, opening.plan.required, refused);
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

interface ConnectionRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON that makes the request a POST. */
  readonly body: string | undefined;
}

/**
 * The timeout covers the connection, the headers and a rejection's body; an open stream has no timeout, because it may
 * stay quiet for any length of time. The signal aborts the request and the stream. Redirects are not followed. Returns the
 * complete response if its status is not 2xx.
 */
export async function openConnection(
  { clock, env }: Pick<Context, "clock" | "env">,
  { url, headers, body }: ConnectionRequest,
  options: SendOptions,
): Promise<ChunkStream | Answer> {
  const { agent, peerOf, close: destroy } = createAgent(env);
  const peer = peerOf(url);
  const close = (): void => {
    void destroy().catch(() => undefined);
  };
  const request = {
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "text/event-stream",
      "accept-encoding": "identity",
      "cache-control": "no-cache",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  } as const;
  const open = async (signal: AbortSignal): Promise<ChunkStream | Answer> => {
    const received = await receive(agent, url, request, signal, clock);
    if (received.status >= 300) {
      const answer = await readAnswerBody(received, url);
      close();
      return answer;
    }
    const isJson = /^application\/json\b/iu.test(received.headers.get("content-type") ?? "");
    const said = isJson ? await messageOf(received, url) : undefined;
    refuseOthers(received, url, said);
    const chunks = chunksOf(
      () =>
        received.body.next().catch((cause: unknown) => {
          throw brokenStream(connectionFailure(cause, peer));
        }),
      received.body.pauses,
    );
    return { headers: received.headers, chunks, close };
  };
  try {
    return await withDeadline(clock, options, open, peer);
  } catch (cause) {
    close();
    throw cause;
  }
}

/** According to the standard, responses with a different status or type are neither read nor requested again. */
function refuseOthers({ status, headers }: Omit<Answer, "body">, url: URL, why: string | undefined): void {
  if (status === 204) {
    const ended = "the service ended the stream permanently (HTTP 204)";
    throw fail("stream_ended", ended, { next: undefined, status, retryable: false });
  }
  if (status !== 200)
    throw invalidResponse(`invalid response: HTTP ${status} instead of an event stream from ${url.host}`);
  const type = headers.get("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() !== "text/event-stream") {
    const found = type === "" ? "no content type" : type;
    throw fail("untrusted_answer", `invalid response: ${found} instead of an event stream from ${url.host}`, {
      why,
    });
  }
  const encoding = codingOf(headers.get("content-encoding"));
  if (encoding !== "identity")
    throw invalidResponse(`invalid response: unexpected content-encoding ${encoding} from ${url.host}`);
}

/** Undefined if the body cannot be read. */
async function messageOf(received: OpenAnswer, url: URL): Promise<string | undefined> {
  const answer = await readAnswerBody(received, url).catch(() => undefined);
  return answer && readErrorBody(answer.body).message;
}

/** Retryable, because a new connection may succeed, whatever the error was. */
function brokenStream(cause: Error): Failure {
  const isReset = cause instanceof Failure && cause.message.includes("reset");
  const message = isReset ? cause.message : "connection closed";
  return fail("network", message, { next: undefined, cause });
}
