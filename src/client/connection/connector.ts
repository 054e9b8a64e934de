import { Socket } from "node:net";
import type * as undici from "undici";
import type { OpenSockets } from "./open-sockets.ts";
import { type Environment, mayBeProxied } from "./proxy.ts";
import { errorCode } from "../../files/error-code.ts";
import { plainHttpFailure } from "./tls-failure.ts";
import { buildConnector } from "./undici-parts.ts";

/** What whoever connects wants to know before it is connected. */
export interface ConnectionWatch {
  readonly sockets: OpenSockets;
  /** That the host is asked through a proxy, as messages show it. */
  readonly proxied: (proxy: string) => void;
}

const ofSockets: undici.buildConnector.BuildOptions & { readonly highWaterMark: number } = {
  timeout: 0,
  // Node reads up to 64 KiB at once and its own mark is no higher, so that after each it would tell the system to wait,
  // and at once to go on.
  highWaterMark: 128 * 1024,
};

/**
 * Connects to a host as every request does, directly or through the proxy of the environment. HTTP/1.1 only. No
 * time-out of its own.
 */
export function createConnector(env: Environment, watch: ConnectionWatch): undici.buildConnector.connector {
  const direct = buildConnector(ofSockets);
  // undici's types say that it gives nothing back; it gives the socket.
  const connect = (
    options: undici.buildConnector.Options,
    callback: undici.buildConnector.Callback,
  ): unknown => direct(options, callback);
  const connectNoted: undici.buildConnector.connector = (options, callback) => {
    const socket = connect(options, callback);
    if (socket instanceof Socket) watch.sockets.add(socket);
  };
  let hasProbed = false;
  const connectDirectly = (
    url: URL,
    options: undici.buildConnector.Options,
    callback: undici.buildConnector.Callback,
  ): void =>
    connectNoted(options, (...outcome) => {
      const [error] = outcome;
      const isClosed = url.protocol === "https:" && errorCode(error) === "ECONNRESET";
      if (error === null || !isClosed || hasProbed) return callback(...outcome);
      hasProbed = true;
      return void import("./plain-http.ts")
        .then(async ({ speaksPlainHttp }) => await speaksPlainHttp(url, watch.sockets))
        .then((isPlain) => callback(isPlain ? plainHttpFailure(url.host) : error, null));
    });
  return (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    if (!mayBeProxied(url, env)) return connectDirectly(url, options, callback);
    import("./tunnel.ts")
      .then(async ({ openTunnel }) => await openTunnel(url, env, watch))
      .then(
        (tunnel) => {
          if (tunnel === undefined) return connectDirectly(url, options, callback);
          watch.sockets.leave(tunnel);
          connectNoted({ ...options, httpSocket: tunnel }, callback);
        },
        (cause: unknown) => callback(cause instanceof Error ? cause : new Error(String(cause)), null),
      );
  };
}
