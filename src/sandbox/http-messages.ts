import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { errorCode } from "../base/files/file-errors.ts";
import type { SandboxHost, SandboxRequest, SandboxResponse } from "./sandbox-exchange.ts";
import type { SandboxState } from "./service/state.ts";
import { after } from "./timers.ts";

export function readRequest(message: IncomingMessage, host: SandboxHost): SandboxRequest {
  return {
    method: message.method ?? "GET",
    // Clients that use a proxy send a scheme and host, too.
    target: (message.url ?? "/").replace(/^https?:\/\/[^/?#]*/i, ""),
    headers: message.headers,
    remoteAddress: message.socket.remoteAddress ?? "127.0.0.1",
    host,
  };
}

export function logRequest(
  { host, method, target }: SandboxRequest,
  { status, account }: SandboxResponse,
  started: number,
  { options }: SandboxState,
): void {
  const { plan, credits, key, faults } = account;
  options.log({
    time: new Date(options.now()).toISOString(),
    host,
    method,
    url: target,
    status,
    plan,
    credits,
    key,
    ...(faults.length > 0 && { faults }),
    ms: Math.round((options.elapsed() - started) * 1000) / 1000,
  });
}

/** Free of charge, because the caller is unknown. */
function unreadable(message: string) {
  const body = JSON.stringify({ error: "invalid_param", message });
  return {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "X-Api-Plan": "keyless",
      "Content-Length": String(body.length),
      Connection: "close",
    },
    body,
  };
}

/** The status and the message for Node's error codes. Node has one limit, 16 KiB, for the request line and all headers. */
const problems: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "the request line and headers are larger than 16 KiB",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "the request did not arrive in time"],
};

/** Responds with JSON, whereas Node would respond with an empty body. */
export function answerUnreadable(server: Server): void {
  server.on("clientError", (error, socket) => {
    if (!socket.writable) return;
    const [status, message] = problems[errorCode(error)] ?? ["400 Bad Request", "the request is not HTTP"];
    const { headers, body } = unreadable(message);
    const lines = Object.entries(headers).map((header) => header.join(": "));
    socket.end([`HTTP/1.1 ${status}`, ...lines, "", body].join("\r\n"));
  });
  // Node would respond with a 417 to an unknown Expect header. The service ignores it.
  server.on("checkExpectation", (message, reply) => server.emit("request", message, reply));
}

/** RFC 9112, 3.2: HTTP/1.1 requires a Host header. Responds with a 400 and returns true if there is none. */
export function refusesHostless(message: IncomingMessage, reply: ServerResponse): boolean {
  if (message.headers.host !== undefined || message.httpVersion !== "1.1") return false;
  const { headers, body } = unreadable("the request has no Host header");
  reply.writeHead(400, headers).end(body);
  return true;
}

/** Does not call `act` if the client disconnects first. */
export function afterLatency(
  { options: { latencyMs } }: SandboxState,
  reply: ServerResponse,
  act: () => void,
): void {
  if (latencyMs === 0) act();
  else reply.once("close", after(latencyMs, act));
}
