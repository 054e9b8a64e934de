import { setMaxListeners } from "node:events";
import type { Agent, Dispatcher } from "undici";
import { childOf } from "../../context/child-signal.ts";
import type { Clock, Context } from "../../context/context.ts";
import { type Answer, readAnswerBody } from "../answer/answer-body.ts";
import { createAgent } from "./agent.ts";
import { type ChunkQueue, createChunkQueue } from "./chunk-queue.ts";
import { connectionFailure, type Peer, timeoutFailure } from "./connection-failure.ts";

export interface SendOptions {
  /** Milliseconds for connecting, headers and body together. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** One connection pool for a run. Redirects are not followed: the key must not travel to another origin. */
export function createTransport({ clock, env }: Pick<Context, "clock" | "env">) {
  const { agent, peerOf, close } = createAgent(env);
  return {
    get: async (
      url: URL,
      headers: Readonly<Record<string, string>>,
      options: SendOptions,
    ): Promise<Answer> => {
      const accepted = { accept: "application/json", "accept-encoding": "gzip", ...headers };
      const send = async (signal: AbortSignal): Promise<Answer> =>
        await readAnswerBody(await receive(agent, url, { method: "GET", headers: accepted }, signal), url);
      return await withDeadline(clock, options, send, peerOf(url));
    },
    close,
  };
}

/**
 * Returns what `send` returns, or fails when the timeout expires. undici honors a signal only once it is connected, so the
 * wait ends here as soon as the signal aborts.
 */
export async function withDeadline<T>(
  clock: Clock,
  { timeout, signal }: SendOptions,
  send: (signal: AbortSignal) => Promise<T>,
  peer: Peer,
): Promise<T> {
  signal.throwIfAborted();
  // Any number of requests may be pending; Node would report eleven listeners as a leak, to the user.
  setMaxListeners(0, signal);
  const ending = childOf(signal);
  const outcome = new Promise<T>((resolve, reject) => {
    ending.signal.addEventListener("abort", () => reject(ending.signal.reason), { once: true });
    send(ending.signal).then(resolve, reject);
  });
  const timer = new AbortController();
  const expire = (): void => ending.abort(timeoutFailure(timeout, peer));
  clock.sleep(timeout, timer.signal).then(expire, () => undefined);
  try {
    return await outcome;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw connectionFailure(cause, peer);
  } finally {
    timer.abort("the request has ended");
    ending.release();
  }
}

/** A response whose body is still to come. */
export interface Received extends Omit<Answer, "body"> {
  /** The socket is paused while the reader is slow. */
  readonly body: ChunkQueue["chunks"];
  /** Gives up the rest of the body. */
  readonly abort: () => void;
}

/**
 * Sends a request and returns the response when its headers have arrived; the signal ends both. No stream of Node lies
 * between the socket and the reader: it would copy each chunk, and take longer than everything else that is done with it.
 */
export function receive(
  agent: Agent,
  url: URL,
  request: Pick<Dispatcher.DispatchOptions, "method" | "headers" | "body">,
  signal: AbortSignal,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    let queue: ChunkQueue | undefined;
    const options = { origin: url.origin, path: url.pathname + url.search, ...request };
    agent.dispatch(options, {
      onRequestStart: (controller) => {
        const abort = (): void => controller.abort(asError(signal.reason));
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort, { once: true });
      },
      onResponseStart: (controller, status, headers) => {
        // An interim response, such as 103.
        if (status < 200) return;
        queue = createChunkQueue(controller);
        const abort = (): void => controller.abort(asError("given up"));
        resolve({ status, headers: firstValues(headers), body: queue.chunks, abort });
      },
      onResponseData: (_, chunk) => queue?.add(chunk),
      onResponseEnd: () => queue?.end(),
      onResponseError: (_, cause) => {
        queue?.fail(cause);
        reject(cause);
      },
    });
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("given up", { cause: reason });
}

/** Headers as undici returns them. */
type ReceivedHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

function firstValues(headers: ReceivedHeaders): Answer["headers"] {
  const first = new Map<string, string>();
  for (const name in headers) {
    const value = headers[name];
    const text = typeof value === "string" ? value : value?.[0];
    if (text !== undefined) first.set(name.toLowerCase(), text);
  }
  return first;
}
