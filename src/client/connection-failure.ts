import { errors } from "./undici-parts.ts";
import { Failure, untrustedAnswer } from "../model/failure.ts";

/** Codes of node:net, node:dns, node:tls and undici, and the sentence for each. */
const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the name server did not answer",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed while sending",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_SOCKET: "the connection was closed before the answer was whole",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is not as long as it says",
};

const next = "check the network and the host, then try again";

/**
 * A fault of the connection: exit 7. A GET is safe to repeat, so it is retried like a 500. `hasConnected`: a
 * connection was there, so that the request may have left.
 */
export function connectionFailure(cause: unknown, hasConnected: boolean): Error {
  if (cause instanceof Failure) return cause;
  // What answers there is not the service: asking again would give the same.
  if (cause instanceof errors.HTTPParserError) return untrustedAnswer("the answer is not HTTP");
  const { code, syscall } = faultOf(cause);
  const isUnsent = !hasConnected || syscall === "connect" || syscall === "getaddrinfo";
  if (code === undefined) return cause instanceof Error ? cause : new Error(String(cause));
  if (code === "UND_ERR_HEADERS_OVERFLOW") return untrustedAnswer("the headers of the answer are too long");
  if (code === "UND_ERR_RESPONSE" || code.startsWith("HPE_"))
    return untrustedAnswer("the answer is not HTTP");
  if (/^(ERR_TLS_CERT|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/u.test(code)) {
    return new Failure(`the certificate of the host was not accepted (${code})`, {
      exit: 7,
      code: "tls",
      retryable: false,
      isUnsent: true,
      next: "if the host uses a certificate authority of its own, name its file in NODE_EXTRA_CA_CERTS",
    });
  }
  // EPROTO is what node makes of an answer that is no TLS, on some systems.
  if (/^(ERR_TLS|ERR_SSL|EPROTO)/u.test(code)) {
    return new Failure(`no secure connection to the host (${code})`, {
      exit: 7,
      code: "tls",
      retryable: false,
      isUnsent,
      next: "check the host, its port, and any proxy in between",
    });
  }
  const sentence = sentences[code] ?? `the connection failed (${code})`;
  // A name that does not exist now will not exist in a second; EAI_AGAIN is the one that may.
  return new Failure(sentence, {
    exit: 7,
    code: "network",
    retryable: code !== "ENOTFOUND",
    isUnsent,
    next,
    cause,
  });
}

export function timeoutFailure(milliseconds: number, hasConnected: boolean): Failure {
  return new Failure(`no whole answer within ${milliseconds / 1000} s`, {
    exit: 7,
    code: "timeout",
    retryable: true,
    isUnsent: !hasConnected,
    next: "try again, or allow more with --timeout 60s",
  });
}

interface Fault {
  readonly code: string | undefined;
  /** What the system was doing, where it was the system. */
  readonly syscall: unknown;
}

/** undici wraps the socket's error, and happy-eyeballs wraps several: the first code found on the way in. */
function faultOf(cause: unknown): Fault {
  let fault: unknown = cause;
  for (let depth = 0; depth < 5 && fault instanceof Error; depth += 1) {
    const inner: unknown = fault instanceof AggregateError ? fault.errors[0] : fault;
    if (!(inner instanceof Error)) break;
    if ("code" in inner && typeof inner.code === "string" && inner.code !== "UND_ERR_ABORTED")
      return { code: inner.code, syscall: "syscall" in inner ? inner.syscall : undefined };
    fault = inner.cause;
  }
  return { code: undefined, syscall: undefined };
}
