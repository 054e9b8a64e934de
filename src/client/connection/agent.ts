import { connect as openSocket, Socket } from "node:net";
import type * as undici from "undici";
import { errorCode } from "../../files/file-fault.ts";
import { type Peer, peerName, plainHttpFailure } from "./connection-failure.ts";
import { type Environment, findProxy, mayBeProxied, unbracketed } from "./proxy.ts";
import { Agent, buildConnector } from "./undici-parts.ts";

const maxHeaderBytes = 64 * 1024;
const probeTimeoutMs = 2000;

/**
 * Creates the connections of a run, or of one stream. undici's own timeouts are off: each sender has a deadline over
 * connecting, headers and body, or wants none.
 */
export function createAgent(env: Environment) {
  const sockets = new OpenSockets();
  let isConnected = false;
  const connect = createConnector(env, sockets);
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      connect(options, (...outcome) => {
        if (outcome[0] === null) isConnected = true;
        callback(...outcome);
      });
    },
    maxHeaderSize: maxHeaderBytes,
    pipelining: 1,
  });
  return {
    agent,
    /** The name of a host in messages. */
    peerOf: ({ host }: URL): Peer => ({
      name: () => peerName(host, sockets.proxy),
      hasConnected: () => isConnected,
    }),
    /** Destroys every socket at once: at the end, pending requests are not waited for. */
    close: async (): Promise<void> => {
      const destroyed = agent.destroy();
      sockets.destroy();
      await destroyed;
    },
  };
}

/**
 * The sockets of a run that are not closed, including those still connecting. undici leaves a connecting socket to the
 * system, which keeps it for minutes; so each one is recorded until it is closed.
 */
export class OpenSockets {
  /** The proxy in front of the host, as messages show it; known once a socket was opened. */
  proxy: string | undefined;
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  add(socket: Socket): void {
    if (this.#isClosed) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Removes a socket that another one wraps: destroying both crashes Node 20, and the outer one closes the inner one. */
  remove(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  /** Sockets added later are destroyed at once. */
  destroy(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

type Options = undici.buildConnector.Options;
type Callback = undici.buildConnector.Callback;

const socketOptions: undici.buildConnector.BuildOptions & { readonly highWaterMark: number } = {
  timeout: 0,
  // Node reads up to 64 KiB at once, which is also its default mark: the system would be paused after each read,
  // and resumed at once.
  highWaterMark: 128 * 1024,
};

/** Connects to a host as every request does, directly or through the proxy of the environment. HTTP/1.1 only, no timeout. */
export function createConnector(env: Environment, sockets: OpenSockets): undici.buildConnector.connector {
  const build = buildConnector(socketOptions);
  const connect = (options: Options, callback: Callback): void => {
    // By undici's types the connector returns nothing; it returns the socket.
    const socket: unknown = build(options, callback);
    if (socket instanceof Socket) sockets.add(socket);
  };
  let hasProbed = false;
  const connectDirectly = (url: URL, options: Options, callback: Callback): void =>
    connect(options, (...outcome) => {
      const [error] = outcome;
      const isClosed = url.protocol === "https:" && errorCode(error) === "ECONNRESET";
      if (error === null || !isClosed || hasProbed) return callback(...outcome);
      hasProbed = true;
      return void speaksPlainHttp(url, sockets).then((isPlain) =>
        callback(isPlain ? plainHttpFailure(url.host) : error, null),
      );
    });
  const openTunnelTo = async (url: URL): Promise<Socket | undefined> => {
    const proxy = findProxy(url, env);
    if (proxy === undefined) return undefined;
    sockets.proxy = proxy.shown;
    const { openTunnel } = await import("./tunnel.ts");
    return await openTunnel(url, proxy, (socket) => sockets.add(socket));
  };
  return (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    if (!mayBeProxied(url, env)) return connectDirectly(url, options, callback);
    openTunnelTo(url).then(
      (tunnel) => {
        if (tunnel === undefined) return connectDirectly(url, options, callback);
        sockets.remove(tunnel);
        connect({ ...options, httpSocket: tunnel }, callback);
      },
      (cause: unknown) => callback(cause instanceof Error ? cause : new Error(String(cause)), null),
    );
  };
}

/**
 * Whether plain HTTP is spoken where TLS was expected. Most servers reply to a TLS handshake in plain text, which OpenSSL
 * recognizes; some only close. The probe sends no key and no path.
 */
async function speaksPlainHttp({ hostname, port, host }: URL, sockets: OpenSockets): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = openSocket({ host: unbracketed(hostname), port: port === "" ? 443 : Number(port) });
    sockets.add(socket);
    socket.setTimeout(probeTimeoutMs, () => socket.destroy());
    socket.once("connect", () =>
      socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`),
    );
    socket.once("data", (chunk: Buffer) => {
      resolve(chunk.toString("latin1").startsWith("HTTP/"));
      socket.destroy();
    });
    socket.once("error", () => undefined).once("close", () => resolve(false));
  });
}
