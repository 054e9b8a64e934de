import { setMaxListeners } from "node:events";
import type { Agent, Dispatcher } from "undici";
import { type Clock, type Context, childOf } from "../../base/context/context.ts";
import { type ChunkQueue, createChunkQueue, type OpenAnswer, readAnswerBody } from "./answer-body.ts";
import { createAgent } from "./agent.ts";
import { connectionFailure, type Peer, timeoutFailure } from "./connection-failure.ts";
import type { Answer } from "../connection/answer-body.ts";
import type { Endpoint, Args } from "../../api/endpoint.ts";
import { usageFailure } from "../../base/failure.ts";

export interface SendOptions {
  /** In milliseconds, for the connection, headers and body combined. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Redirects are not followed, because the key must not be sent to another origin. */
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
        await readAnswerBody(
          await receive(agent, url, { method: "GET", headers: accepted }, signal, clock),
          url,
        );
      return await withDeadline(clock, options, send, peerOf(url));
    },
    close,
  };
}

/** undici honors a signal only once it is connected, so this function stops waiting when the signal aborts. */
export async function withDeadline<T>(
  clock: Clock,
  { timeout, signal }: SendOptions,
  send: (signal: AbortSignal) => Promise<T>,
  peer: Peer,
): Promise<T> {
  signal.throwIfAborted();
  // Without this call, Node would show the user a leak warning from the eleventh pending request on.
  setMaxListeners(0, signal);
  const ending = childOf(signal);
  const outcome = new Promise<T>((resolve, reject) => {
    ending.signal.addEventListener("abort", () => reject(ending.signal.reason), { once: true });
    send(ending.signal).then(resolve, reject);
  });
  const stop = clock.after(timeout, () => ending.abort(timeoutFailure(timeout, peer)));
  try {
    return await outcome;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw connectionFailure(cause, peer);
  } finally {
    stop();
    ending.release();
  }
}

/**
 * Resolves as soon as the headers have arrived. The signal aborts the request and the body. No Node stream is used,
 * because it would copy each chunk, which takes longer than all other processing combined.
 */
export function receive(
  agent: Agent,
  url: URL,
  request: Pick<Dispatcher.DispatchOptions, "method" | "headers" | "body">,
  signal: AbortSignal,
  { now }: Pick<Clock, "now">,
): Promise<OpenAnswer> {
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
        // An interim response, e.g. 103, precedes the actual response.
        if (status < 200) return;
        queue = createChunkQueue(controller);
        const abort = (): void => controller.abort(asError("given up"));
        resolve({ status, headers: firstValues(headers), body: queue.chunks, abort, received: now() });
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

/**
 * Query parameters are in the contract's order, so the same request always has the same URL. A URL outside the base is
 * rejected, because the key is sent with it.
 */
export function createRequestUrls(base: string): (endpoint: Endpoint, args: Args) => URL {
  const { origin, pathname } = new URL(base);
  const below = `${pathname.replace(/\/$/u, "")}/`;
  return (endpoint, args) => {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
      encodeValue(args.get(name) ?? ""),
    );
    const url = new URL(base + path + queryOf(endpoint, args));
    if (url.origin === origin && url.pathname.startsWith(below)) return url;
    throw usageFailure(`"${path}": must be a path below ${base}`);
  };
}

function queryOf({ params, raw }: Endpoint, args: Args): string {
  const parts = params.flatMap(({ name, place }) => {
    if (place !== "query") return [];
    const [value, more] = [args.get(name), raw?.repeated.get(name) ?? []];
    const values = value === undefined ? more : [value, ...more];
    // Commas stay unescaped for readability: they separate values, and no address contains one.
    return values.map((each) => `${encodeURIComponent(name)}=${encodeValue(each).replaceAll("%2C", ",")}`);
  });
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Input from stdin or rows can contain a lone surrogate, which has no UTF-8 encoding. */
function encodeValue(text: string): string {
  if (!text.isWellFormed()) throw usageFailure(`"${text}": must be valid Unicode`);
  return encodeURIComponent(text);
}
