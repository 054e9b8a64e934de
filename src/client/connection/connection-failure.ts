import { errors } from "./undici-parts.ts";
import { errorCode } from "../../files/error-code.ts";
import { fail, Failure, untrustedAnswer } from "../../contract/failure.ts";
import { tlsFailure } from "./tls-failure.ts";

/** The other end, as messages name it. */
export interface Peer {
  /** `api.example`, `127.0.0.1:8080`, and the proxy on the way there once it is known. */
  readonly name: () => string;
  /** Whether any connection was made: until then it is the network that fails, not the service. */
  readonly hasConnected: () => boolean;
  /** What to do where the network is at fault, if it is not the host that has to be looked at. */
  readonly next?: string;
}

export function peerName(host: string, proxy: string | undefined): string {
  return proxy === undefined ? host : `${host} through the proxy ${proxy}`;
}

/** Codes of node:net, node:dns and undici, and the sentence for each. */
const sentences: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: (host) => `the name of ${host} is not known`,
  EAI_AGAIN: (host) => `no name server answered for ${host}`,
  ECONNREFUSED: (host) => `the connection to ${host} was refused`,
  ECONNRESET: (host) => `the connection to ${host} was reset`,
  EPIPE: (host) => `${host} closed the connection while it was asked`,
  EHOSTUNREACH: (host) => `${host} cannot be reached`,
  EHOSTDOWN: (host) => `${host} cannot be reached`,
  ENETUNREACH: (host) => `the network of ${host} cannot be reached`,
  ENETDOWN: (host) => `the network to ${host} is down`,
  EADDRNOTAVAIL: (host) => `this machine has no address to reach ${host} from`,
  ETIMEDOUT: (host) => `the connection to ${host} timed out`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `the connection to ${host} timed out`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before the answer was whole`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (host) => `the answer of ${host} is not as long as it says`,
};

export const checkNetwork = "check the network and the host, then try again";

/**
 * A fault of the connection: exit 7. A GET is safe to repeat, so it is retried like a 500. Where a connection was
 * there, the request may have left.
 */
export function connectionFailure(cause: unknown, peer: Peer): Error {
  if (cause instanceof Failure) return cause;
  const host = peer.name();
  // What answers there is not the service: asking again would give the same.
  if (cause instanceof errors.HTTPParserError) return untrustedAnswer(`the answer of ${host} is not HTTP`);
  const { code, syscall, message } = faultOf(cause);
  const isUnsent = !peer.hasConnected() || syscall === "connect" || syscall === "getaddrinfo";
  if (code === undefined) return cause instanceof Error ? cause : new Error(String(cause));
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "HPE_HEADER_OVERFLOW")
    return untrustedAnswer(`the headers of the answer of ${host} are too long`);
  // A status below 100 is an assertion of undici.
  if (["UND_ERR_RESPONSE", "ERR_ASSERTION"].includes(code) || code.startsWith("HPE_"))
    return untrustedAnswer(`the answer of ${host} is not HTTP`);
  const secure = tlsFailure({ code, message }, host, isUnsent);
  if (secure !== undefined) return secure;
  const sentence =
    closingSentence(host, code, message) ??
    sentences[code]?.(host) ??
    `the connection to ${host} failed (${code})`;
  // A name that does not exist now will not exist in a second; EAI_AGAIN is the one that may.
  return fail("network", sentence, {
    retryable: code !== "ENOTFOUND",
    isUnsent,
    next: peer.next ?? checkNetwork,
    cause,
  });
}

/** Node gives the code of a reset to what was closed too early in its own eyes. */
function closingSentence(host: string, code: string, message: string): string | undefined {
  if (code !== "ECONNRESET") return undefined;
  if (message.includes("before secure TLS connection"))
    return `${host} closed the connection before it was secure`;
  return message === "socket hang up" ? `${host} closed the connection without an answer` : undefined;
}

export function timeoutFailure(milliseconds: number, peer: Peer): Failure {
  const isConnected = peer.hasConnected();
  const time = `within ${milliseconds / 1000} s`;
  return fail(
    "timeout",
    isConnected ? `no whole answer of ${peer.name()} ${time}` : `no connection to ${peer.name()} ${time}`,
    {
      isUnsent: !isConnected,
      next: "try again, or allow more with --timeout 60s",
    },
  );
}

interface Fault {
  readonly code: string | undefined;
  /** What the system was doing, where it was the system. */
  readonly syscall: unknown;
  readonly message: string;
}

/** undici wraps the socket's error, and happy-eyeballs one for each address: the first code found on the way in. */
function faultOf(cause: unknown): Fault {
  let fault: unknown = cause;
  for (let depth = 0; depth < 5 && fault instanceof Error; depth += 1) {
    const inner: unknown = fault instanceof AggregateError ? mostTelling(fault.errors) : fault;
    if (!(inner instanceof Error)) break;
    if ("code" in inner && typeof inner.code === "string" && inner.code !== "UND_ERR_ABORTED") {
      const syscall = "syscall" in inner ? inner.syscall : undefined;
      return { code: inner.code, syscall, message: inner.message };
    }
    fault = inner.cause;
  }
  return { code: undefined, syscall: undefined, message: "" };
}

/** That a machine has no IPv6 says nothing about a host that refused over IPv4. */
function mostTelling(faults: readonly unknown[]): unknown {
  const routes = ["ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL"];
  return faults.find((fault) => !routes.includes(errorCode(fault))) ?? faults[0];
}
