import type { Agent, Dispatcher } from "undici";
import type { Context } from "../../context/context.ts";
import { fail, Failure, untrustedAnswer } from "../../contract/failure.ts";
import { createAgent } from "../connection/agent.ts";
import { readAnswerBody } from "../answer/answer-body.ts";
import { connectionFailure, type Peer } from "../connection/connection-failure.ts";
import { type Chunks, chunksOf } from "./chunk-queue.ts";
import { receive } from "./receive.ts";
import { type Answer, type SendOptions, withDeadline } from "../connection/transport.ts";

export interface ConnectionRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; with it the request is a POST. */
  readonly body?: string | undefined;
}

/** One open event stream. */
export interface Connection {
  readonly headers: ReadonlyMap<string, string>;
  /**
   * All that have come each time, for as long as the stream lives; while nobody asks for the next ones the socket is not
   * read for long. Ends where the service ended the stream; throws a Failure where the line broke.
   */
  readonly chunks: Chunks;
  /** Destroys the socket at once: nobody waits for what is under way. */
  readonly close: () => void;
}

export type Opened =
  | { readonly kind: "open"; readonly connection: Connection }
  /** Any answer but 2xx, whole. */
  | { readonly kind: "refused"; readonly answer: Answer };

/**
 * Asks for one event stream. The time-out covers connecting and the headers (and the body of a refusal); an open
 * stream has none, because it may be quiet for as long as it likes. The signal ends both. No redirect is followed.
 */
export async function openConnection(
  { clock, env }: Pick<Context, "clock" | "env">,
  request: ConnectionRequest,
  options: SendOptions,
): Promise<Opened> {
  const { agent, peerOf, close: destroy } = createAgent(env);
  const peer = peerOf(request.url);
  const close = (): void => {
    void destroy().catch(() => undefined);
  };
  try {
    const opened = await withDeadline(
      clock,
      options,
      async (signal) => await ask({ agent, peer, close }, request, signal),
      peer,
    );
    if (opened.kind === "refused") close();
    return opened;
  } catch (cause) {
    close();
    throw cause;
  }
}

async function ask(
  { agent, peer, close }: { readonly agent: Agent; readonly peer: Peer; readonly close: () => void },
  { url, headers, body }: ConnectionRequest,
  signal: AbortSignal,
): Promise<Opened> {
  const request: Dispatcher.DispatchOptions = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "text/event-stream",
      "accept-encoding": "identity",
      "cache-control": "no-cache",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  };
  const received = await receive(agent, request, signal);
  const { status } = received;
  if (status >= 300) {
    const answer = { status, headers: received.headers };
    return { kind: "refused", answer: { ...answer, body: await readAnswerBody(received.body, answer, url) } };
  }
  if (status === 204)
    throw fail("stream_ended", "the service ended the stream for good (HTTP 204)", {
      next: undefined,
      status,
      retryable: false,
    });
  // The standard: an answer of another status or type is not read, and not asked for again.
  if (status !== 200)
    throw untrustedAnswer(`${url.host} answered with status ${status} instead of an event stream`);
  refuseOtherTypes(received.headers, url);
  return {
    kind: "open",
    connection: { headers: received.headers, chunks: readChunks(received.body, peer), close },
  };
}

function refuseOtherTypes(headers: ReadonlyMap<string, string>, url: URL): void {
  const type = headers.get("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() !== "text/event-stream") {
    const what = type === "" ? "something without a type" : type;
    throw untrustedAnswer(`${url.host} answered with ${what} instead of an event stream`);
  }
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw untrustedAnswer(`${url.host} answered with content-encoding ${encoding}, which was not asked for`);
  }
}

function readChunks(body: Chunks, peer: Peer): Chunks {
  const broken = (cause: unknown): never => {
    throw brokenStream(connectionFailure(cause, peer));
  };
  return chunksOf(() => body.next().catch(broken));
}

/** Whatever broke a stream that was open, a new connection may do better. */
function brokenStream(cause: Error): Failure {
  const isReset = cause instanceof Failure && cause.message.includes("reset");
  const message = isReset ? cause.message : "the connection broke off";
  return fail("network", message, { next: undefined, cause });
}
