import http from "node:http";
import https from "node:https";
import { isIP, type Socket } from "node:net";
import { errorCode } from "../../base/files/file-errors.ts";
import { fail, type Failure, type KnownDetails } from "../../base/failure.ts";
import { connectionFailure, isHurried, patience } from "./connection-failure.ts";
import { type Proxy, unbracketed } from "../proxy.ts";

/**
 * Uses CONNECT (RFC 9110, 9.3.6). Every failure names the proxy. `onSocket` receives the socket to the proxy.
 *
 * undici's `ProxyAgent` reports every refusal of a proxy as the same `AbortError`, and never gives up on a proxy that
 * closes the connection (test/client/proxy-faults.test.ts). It warns on stderr if an https proxy has an IP address
 * (test/end-to-end/proxies.slow.test.ts). `EnvHttpProxyAgent` also uses HTTP_PROXY for https, sends requests to localhost
 * through the proxy, and ignores ALL_PROXY and the ranges of NO_PROXY (test/client/proxy.test.ts).
 */
export async function openTunnel(
  url: URL,
  proxy: Proxy,
  onSocket: (socket: Socket) => void,
  patient?: Patient,
): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const giveUp = (cause: unknown): void => {
      const next = nextFor(proxy, url);
      const name = `proxy ${proxy.shown}`;
      reject(
        errorCode(cause).startsWith("HPE_")
          ? proxyFailure(`${name} did not send an HTTP response`, { next })
          : connectionFailure(cause, { name: () => name, hasConnected: () => false, next }),
      );
    };
    const request = connectRequest(proxy, url, patient);
    request.once("socket", onSocket);
    request.once("error", (cause) => {
      if (patient !== undefined || !isHurried(cause)) return giveUp(cause);
      return resolve(openTunnel(url, proxy, onSocket, { autoSelectFamilyAttemptTimeout: patience }));
    });
    request.once("connect", (answer, socket, head) => {
      // The TLS socket that wraps this socket reports later errors.
      const refused = refusal(answer, head.length > 0, proxy, url);
      if (refused === undefined) return resolve(socket);
      socket.on("error", () => undefined).destroy();
      giveUp(refused);
    });
    request.end();
  });
}

/** Of node:net, which gets the options of a request. */
interface Patient {
  readonly autoSelectFamilyAttemptTimeout: number;
}

function connectRequest(
  { url: proxy, authorization }: Proxy,
  { hostname, port }: URL,
  patient: Patient | undefined,
): http.ClientRequest {
  const target = `${hostname}:${port === "" ? 443 : port}`;
  const isSecure = proxy.protocol === "https:";
  const host = unbracketed(proxy.hostname);
  const options: https.RequestOptions = {
    ...patient,
    host,
    // By default, Node uses the name in the host header, which belongs to the service.
    servername: isIP(host) === 0 ? host : "",
    port: proxy.port === "" ? (isSecure ? 443 : 80) : proxy.port,
    method: "CONNECT",
    path: target,
    headers: {
      host: target,
      // Some proxies support only this older header.
      "proxy-connection": "keep-alive",
      connection: "keep-alive",
      ...(authorization !== undefined && { "proxy-authorization": authorization }),
    },
    agent: false,
  };
  return isSecure ? https.request(options) : http.request(options);
}

function refusal(
  { statusCode: status = 0, headers }: http.IncomingMessage,
  hasSpoken: boolean,
  proxy: Proxy,
  { host }: URL,
): Failure | undefined {
  const name = `proxy ${proxy.shown}`;
  if (status === 407) {
    return proxyFailure(
      proxy.authorization === undefined
        ? `${name} requires a user name and password (HTTP 407)`
        : `${name} rejected the user name and password (HTTP 407)`,
      { exit: 4, next: `put them in ${proxy.variable}, before the host, as user:password@` },
    );
  }
  const next = nextFor(proxy, { host });
  // In a tunnel, the client sends first. If the proxy does, the data is a web page.
  const isPage = hasSpoken || /^text\/html/iu.test(headers["content-type"] ?? "");
  if (status >= 200 && status < 300)
    return isPage
      ? proxyFailure(`${name} returned a web page instead of opening a tunnel`, { next })
      : undefined;
  if (status >= 500)
    return proxyFailure(`${name} could not reach ${host} (HTTP ${status})`, { retryable: true, next });
  return proxyFailure(`${name} refused to connect to ${host} (HTTP ${status})`, { next });
}

function nextFor({ variable }: Proxy, { host }: Pick<URL, "host">): string {
  return `check ${variable}, or bypass the proxy: NO_PROXY=${host}`;
}

/** Nothing was sent to the host, because requests start only after the tunnel is open. */
function proxyFailure(message: string, details: KnownDetails<"proxy">): Failure {
  return fail("proxy", message, { isUnsent: true, ...details });
}
