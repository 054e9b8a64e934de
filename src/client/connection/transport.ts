import { setMaxListeners } from "node:events";
import { Socket } from "node:net";
import type * as undici from "undici";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import { type Clock, type Context, childOf } from "../../base/context/context.ts";
import {
  type Answer,
  type ChunkQueue,
  createChunkQueue,
  type OpenAnswer,
  readAnswerBody,
} from "./answer-body.ts";
import {
  connectionFailure,
  isHurried,
  patience,
  type Peer,
  peerName,
  timeoutFailure,
} from "./connection-failure.ts";
import { type Environment, findProxy } from "../proxy.ts";

export interface SendOptions {
  /** In milliseconds, for the connection, headers and body combined. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Redirects are not followed, because the key must not be sent to another origin. */
export function createTransport({ clock, env }: Pick<Context, "clock" | "env">) {
  const { agent, peerOf, close } = createAgent(env);
  return {
    get: async (url: URL, own: Readonly<Record<string, string>>, options: SendOptions): Promise<Answer> => {
      const headers = { accept: "application/json", "accept-encoding": "gzip", ...own };
      const send = async (signal: AbortSignal): Promise<Answer> =>
        await readAnswerBody(await receive(agent, url, { method: "GET", headers }, signal, clock), url);
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
  agent: undici.Agent,
  url: URL,
  request: Pick<undici.Dispatcher.DispatchOptions, "method" | "headers" | "body">,
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

type ReceivedHeaders = Parameters<NonNullable<undici.Dispatcher.DispatchHandler["onResponseStart"]>>[2];

function firstValues(headers: ReceivedHeaders): Answer["headers"] {
  const first = new Map<string, string>();
  for (const name in headers) {
    const value = headers[name];
    const text = typeof value === "string" ? value : value?.[0];
    // undici keeps spaces at the end, which are not part of the value (RFC 9112, 5.1).
    if (text !== undefined) first.set(name.toLowerCase(), text.trim());
  }
  return first;
}

const maxHeaderBytes = 64 * 1024;

/** undici's timeouts are off, because each sender either sets its own deadline or needs none. */
export function createAgent(env: Environment) {
  const sockets = new OpenSockets();
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: createConnector(env, sockets),
    maxHeaderSize: maxHeaderBytes,
    pipelining: 1,
  });
  return {
    agent,
    peerOf: ({ host }: URL): Peer => sockets.peerOf(host),
    /** Does not wait for pending requests. */
    close: async (): Promise<void> => {
      const destroyed = agent.destroy();
      sockets.destroy();
      await destroyed;
    },
  };
}

/** A run's open sockets, including connecting ones, because undici leaves those open for minutes. */
export class OpenSockets {
  /** As shown in messages; known once a socket has been opened. */
  proxy: string | undefined;
  hasConnected = false;
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  add(socket: Socket): void {
    if (this.#isClosed) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Destroying both a socket and its wrapper crashes Node 20. The wrapper closes the inner socket anyway. */
  remove(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  peerOf(host: string): Peer {
    return { name: () => peerName(host, this.proxy), hasConnected: () => this.hasConnected };
  }

  /** Also destroys any sockets that are added later. */
  destroy(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

type Options = undici.buildConnector.Options;
type Callback = undici.buildConnector.Callback;

const socketOptions: undici.buildConnector.BuildOptions & { readonly highWaterMark: number } = {
  timeout: 0,
  // With the 64 KiB default, which is what Node reads at a time, the socket would be paused after each read.
  highWaterMark: 128 * 1024,
};

/** Connects directly or through the proxy from the environment, using only HTTP/1.1 and no timeout. */
export function createConnector(env: Environment, sockets: OpenSockets): undici.buildConnector.connector {
  const build = buildConnector(socketOptions);
  const connect = (options: Options, callback: Callback, dial = build): void => {
    // According to undici's types, the connector returns nothing, but it does return the socket.
    const socket: unknown = dial(options, (...outcome) => {
      if (outcome[0] !== null && dial === build && isHurried(outcome[0])) {
        const patient = buildConnector({ ...socketOptions, autoSelectFamilyAttemptTimeout: patience });
        return connect(options, callback, patient);
      }
      if (outcome[0] === null) sockets.hasConnected = true;
      callback(...outcome);
    });
    if (socket instanceof Socket) sockets.add(socket);
  };
  const openTunnelTo = async (url: URL): Promise<Socket | undefined> => {
    const proxy = findProxy(url, env);
    if (proxy === undefined) return undefined;
    sockets.proxy = proxy.shown;
    const { openTunnel } = await import("./tunnel.ts");
    return await openTunnel(url, proxy, (socket) => sockets.add(socket));
  };
  return (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    openTunnelTo(url)
      .then((tunnel) => {
        if (tunnel === undefined) return connect(options, callback);
        sockets.remove(tunnel);
        connect({ ...options, httpSocket: tunnel }, callback);
      })
      .catch((cause: unknown) => callback(cause instanceof Error ? cause : new Error(String(cause)), null));
  };
}
