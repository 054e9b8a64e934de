import type { Context } from "../../base/context/context.ts";
import { fail, Failure, invalidResponse } from "../../base/failure.ts";
import {
  type Chunks,
  chunksOf,
  codingOf,
  type OpenAnswer,
  readAnswerBody,
} from "../connection/answer-body.ts";
import { readErrorBody } from "../response/error-body.ts";
import { createAgent } from "../connection/agent.ts";
import { connectionFailure } from "../connection/connection-failure.ts";
import { receive, type SendOptions, withDeadline } from "../connection/transport.ts";
import type { Answer } from "../document.ts";

interface ConnectionRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON that makes the request a POST. */
  readonly body: string | undefined;
}

export interface ChunkStream {
  readonly headers: ReadonlyMap<string, string>;
  /**
   * Each read returns all chunks that have arrived, and the socket is paused while the reader is slow. The chunks end
   * when the service ends the stream; a Failure is thrown if the connection is lost.
   */
  readonly chunks: Chunks;
  readonly close: () => void;
}

export type Opened =
  | { readonly kind: "open"; readonly connection: ChunkStream }
  /** A complete response with a non-2xx status. */
  | { readonly kind: "refused"; readonly answer: Answer };

/**
 * The timeout covers the connection, the headers and a rejection's body; an open stream has no timeout, because it may
 * stay quiet for any length of time. The signal aborts the request and the stream. Redirects are not followed.
 */
export async function openConnection(
  { clock, env }: Pick<Context, "clock" | "env">,
  { url, headers, body }: ConnectionRequest,
  options: SendOptions,
): Promise<Opened> {
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
  const open = async (signal: AbortSignal): Promise<Opened> => {
    const received = await receive(agent, url, request, signal, clock);
    if (received.status >= 300) {
      const answer = await readAnswerBody(received, url);
      close();
      return { kind: "refused", answer };
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
    return { kind: "open", connection: { headers: received.headers, chunks, close } };
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
  return answer && readErrorBody(new TextDecoder().decode(answer.body)).message;
}

/** Retryable, because a new connection may succeed, whatever the error was. */
function brokenStream(cause: Error): Failure {
  const isReset = cause instanceof Failure && cause.message.includes("reset");
  const message = isReset ? cause.message : "connection closed";
  return fail("network", message, { next: undefined, cause });
}
