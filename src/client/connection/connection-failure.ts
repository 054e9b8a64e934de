import errors from "undici/lib/core/errors.js";
import { describeFileError, errorCode, openFilesAdvice } from "../../base/files/file-errors.ts";
import { checkNetwork } from "../../api/host.ts";
import { formatDuration } from "../../api/duration.ts";
import { fail, Failure, invalidResponse } from "../../base/failure.ts";

export interface Peer {
  /** The host, e.g. `api.example` or `127.0.0.1:8080`, followed by its proxy once that is known. */
  readonly name: () => string;
  /** Before the first connection, an error is a network failure, not a service failure. */
  readonly hasConnected: () => boolean;
  /** The hint for a network failure, if the user has to check something other than the host. */
  readonly next?: string;
}

export function peerName(host: string, proxy: string | undefined): string {
  return proxy === undefined ? host : `${host} through proxy ${proxy}`;
}

/** Keyed by error codes from node:net, node:dns and undici. */
const sentences: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: (host) => `cannot resolve ${host}`,
  EAI_AGAIN: (host) => `cannot resolve ${host}: no response from the name server`,
  ECONNREFUSED: (host) => `connection to ${host} refused`,
  ECONNRESET: (host) => `connection to ${host} reset`,
  EPIPE: (host) => `${host} closed the connection during the request`,
  EHOSTUNREACH: (host) => `cannot reach ${host}`,
  ENETUNREACH: (host) => `cannot reach ${host}: network unreachable`,
  EADDRNOTAVAIL: (host) => `cannot reach ${host}: this machine has no suitable address`,
  ETIMEDOUT: (host) => `connection to ${host} timed out`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before the response was complete`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (host) => `response from ${host} was cut short`,
};

/**
 * The failure has exit code 7 and is retried like a 500, because a GET is safe to repeat. Once a connection has been
 * established, the request may have been sent.
 */
export function connectionFailure(cause: unknown, peer: Peer): Error {
  if (cause instanceof Failure) return cause;
  const host = peer.name();
  // The remote end is not the service, so a retry would get the same result.
  if (cause instanceof errors.HTTPParserError)
    return invalidResponse(`${host} did not send an HTTP response`);
  const error = codedError(cause);
  if (error === undefined) return cause instanceof Error ? cause : new Error(String(cause));
  const { code, syscall, message } = error;
  const isUnsent = !peer.hasConnected() || syscall === "connect" || syscall === "getaddrinfo";
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "HPE_HEADER_OVERFLOW")
    return invalidResponse(`the response headers from ${host} are too large`);
  // undici fails an assertion if the status is below 100.
  if (["UND_ERR_RESPONSE", "ERR_ASSERTION"].includes(code) || code.startsWith("HPE_"))
    return invalidResponse(`${host} did not send an HTTP response`);
  const secure = tlsFailure(code, message, host, isUnsent);
  if (secure !== undefined) return secure;
  const sentence =
    closingSentence(host, code, message) ??
    sentences[code]?.(host) ??
    `connection to ${host} failed (${describeFileError(error)})`;
  // The name may be misspelled. With EAI_AGAIN, however, the next lookup may succeed.
  const isOutage = code === "ENOTFOUND";
  return fail("network", sentence, {
    isOutage,
    isUnsent,
    next: openFilesAdvice(error) ?? peer.next ?? checkNetwork,
    cause,
  });
}

/** Node also reports ECONNRESET for connections that the remote end closed too early. */
function closingSentence(host: string, code: string, message: string): string | undefined {
  if (code !== "ECONNRESET") return undefined;
  if (message.includes("before secure TLS connection"))
    return `${host} closed the connection during the TLS handshake`;
  return message === "socket hang up" ? `${host} closed the connection without a response` : undefined;
}

export function timeoutFailure(milliseconds: number, peer: Peer): Failure {
  const isUnsent = !peer.hasConnected();
  const action = isUnsent ? "connecting" : "request";
  return fail("timeout", `${action} to ${peer.name()} timed out after ${formatDuration(milliseconds)}`, {
    isUnsent,
    next: "try again, or raise --timeout",
  });
}

type CodedError = Error & { readonly code: string; readonly syscall?: unknown };

/** undici wraps the socket's error, and Happy Eyeballs wraps one error per address. */
function codedError(cause: unknown): CodedError | undefined {
  let outer: unknown = cause;
  for (let depth = 0; depth < 5 && outer instanceof Error; depth += 1) {
    const inner: unknown = outer instanceof AggregateError ? mostSpecificError(outer.errors) : outer;
    if (!(inner instanceof Error)) break;
    if (hasCode(inner)) return inner;
    outer = inner.cause;
  }
  return undefined;
}

function hasCode(error: Error): error is CodedError {
  return "code" in error && typeof error.code === "string" && error.code !== "UND_ERR_ABORTED";
}

/** If a host refused the connection over IPv4, it does not matter that this machine has no IPv6. */
function mostSpecificError(all: readonly unknown[]): unknown {
  const routes = ["ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL"];
  return all.find((error) => !routes.includes(errorCode(error))) ?? all[0];
}

const checkClock = "check this machine's clock; if it is correct, contact the operator of the host";
const addAuthority = "to trust this authority, set NODE_EXTRA_CA_CERTS to its certificate file";
const unknownAuthority = ["unknown certificate authority", addAuthority] as const;

/** Keyed by codes from OpenSSL and node:tls. `reason` ends the message `cannot verify the certificate of …`. */
const certificates: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  CERT_HAS_EXPIRED: ["expired", checkClock],
  CERT_NOT_YET_VALID: ["not valid yet", checkClock],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "issued for another host",
    "check the host name: another server may be responding",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["self-signed certificate", addAuthority],
  SELF_SIGNED_CERT_IN_CHAIN: ["self-signed certificate in the chain", addAuthority],
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
};

/** Not retried, because a retry would not help. Returns undefined if the code is not a TLS code. */
function tlsFailure(code: string, message: string, host: string, isUnsent: boolean): Failure | undefined {
  if (code in certificates || /^(ERR_TLS_CERT|CERT_|UNABLE_TO|HOSTNAME_MISMATCH)/u.test(code)) {
    const [reason, next] = certificates[code] ?? ["not accepted", addAuthority];
    return fail("tls", `cannot verify the certificate of ${host}: ${reason} (${code})`, {
      isUnsent: true,
      next,
    });
  }
  // node:https, like some systems, reports all OpenSSL errors as EPROTO.
  if (!/^(ERR_TLS|ERR_SSL|EPROTO)/u.test(code)) return undefined;
  if (/wrong version number|packet length too long/u.test(message))
    return fail("tls", `${host} does not use TLS on this port; is it http?`, {
      isUnsent: true,
      next: checkPort,
    });
  const isOld = /alert protocol version|unsupported protocol/u.test(message);
  const problem = isOld ? `${host} supports only outdated TLS versions` : `TLS connection to ${host} failed`;
  const next = isOld ? "contact the operator of the host: TLS 1.2 or newer is required" : checkPort;
  return fail("tls", `${problem} (${code})`, { isUnsent, next });
}

const checkPort = "check the host, its port, and any proxy in between";

/** Milliseconds for each address of a host, if Node's quarter of a second was too short. */
export const patience = 5000;

/** Whether an address had too little time because the host has others. Over a slow network, each would have too little. */
export function isHurried(error: unknown): boolean {
  return error instanceof AggregateError && error.errors.some((each) => errorCode(each) === "ETIMEDOUT");
}
