import http from "node:http";
import https from "node:https";
import net, { type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type CertificateName, certificateOptions } from "./certificates.ts";

export interface TestProxy {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  /** The requests, e.g. `CONNECT service.invalid:443`. */
  readonly asked: readonly string[];
  /** All bytes that clients sent to it, and through it. */
  readonly heard: () => string;
  readonly close: () => Promise<void>;
}

export interface ProxyOptions {
  /** The target of all tunnels, for any requested host: a URL on loopback. */
  readonly to?: string;
  /** The required `name:password`. */
  readonly credentials?: string;
  /** The bytes of its response to every CONNECT in place of a tunnel; the proxy then closes the connection. */
  readonly answer?: string;
  /** The same for the CONNECT with this index, from 0; undefined opens the tunnel. */
  readonly answerTo?: (index: number) => string | undefined;
  /** Speaks TLS itself. */
  readonly certificate?: CertificateName;
}

/** A proxy's request for a user name and password. */
export const wanted = "HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n";

/** Starts an HTTP proxy on 127.0.0.1 that opens tunnels. Close it in `afterEach`. */
export async function startProxy(options: ProxyOptions): Promise<TestProxy> {
  const expected = options.credentials && `Basic ${Buffer.from(options.credentials).toString("base64")}`;
  const asked: string[] = [];
  const heard: Buffer[] = [];
  const sockets = new Set<Duplex>();
  const heed = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("data", (chunk: Buffer) => heard.push(chunk));
    socket.on("error", () => undefined);
  };
  const tunnel = (request: http.IncomingMessage, client: Duplex): void => {
    asked.push(`CONNECT ${request.url}`);
    if (request.headers["proxy-authorization"] !== expected) return void client.end(wanted);
    const answer = options.answer ?? options.answerTo?.(asked.length - 1);
    if (answer !== undefined) return void client.end(answer);
    const { hostname, port } = new URL(options.to ?? "");
    const service = net.connect(Number(port), hostname.replaceAll(/[[\]]/gu, ""), () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      service.pipe(client).pipe(service);
    });
    service.on("error", () => client.destroy());
    client.on("close", () => service.destroy());
  };
  const refuse: http.RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(400).end();
  };
  const server =
    options.certificate === undefined
      ? http.createServer(refuse)
      : https.createServer(certificateOptions(options.certificate), refuse);
  server.on("connect", tunnel);
  server.on(options.certificate === undefined ? "connection" : "secureConnection", heed);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http${options.certificate === undefined ? "" : "s"}://127.0.0.1:${address.port}`,
    asked,
    heard: () => Buffer.concat(heard).toString("latin1"),
    close: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
