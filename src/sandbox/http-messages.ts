import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Accounting, SandboxHost, SandboxRequest, SandboxResponse } from "./sandbox-exchange.ts";
import type { SandboxState } from "./state.ts";
import { after } from "./streams/ticker.ts";

export function readRequest(message: IncomingMessage, host: SandboxHost): SandboxRequest {
  return {
    method: message.method ?? "GET",
    target: message.url ?? "/",
    headers: singleValues(message),
    remoteAddress: message.socket.remoteAddress ?? "127.0.0.1",
    host,
  };
}

/** If a header is sent twice, the first value counts; Node already joins or drops where HTTP requires it. */
function singleValues({ headers }: IncomingMessage): Record<string, string | undefined> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));
}

export function respond(reply: ServerResponse, { status, headers, body }: SandboxResponse): void {
  reply.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  reply.end(body);
}

/** Logs one line per request; for a stream, when it opens. The key itself is never written, only its tier. */
export function logRequest(
  { host, method, target }: SandboxRequest,
  { status, account }: { readonly status: number; readonly account: Accounting },
  milliseconds: number,
  { options }: SandboxState,
): void {
  options.log?.(
    JSON.stringify({
      time: new Date(options.now()).toISOString(),
      host,
      method,
      url: target,
      status,
      plan: account.plan,
      credits: account.credits,
      key: account.key,
      faults: account.faults,
      ms: Math.round(milliseconds * 1000) / 1000,
    }),
  );
}

/** The 400 of a request that is not valid HTTP and never reaches the service. It costs nothing: its caller is unknown. */
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

/** Responds in JSON where Node would reject a request with an empty body. */
export function answerUnreadable(server: Server): void {
  server.on("clientError", (_error, socket) => {
    if (!socket.writable) return;
    const { headers, body } = unreadable("the request is not HTTP");
    const lines = Object.entries(headers).map((header) => header.join(": "));
    socket.end(["HTTP/1.1 400 Bad Request", ...lines, "", body].join("\r\n"));
  });
  // An expectation that Node does not know would be a 417; the service ignores it like any other header.
  server.on("checkExpectation", (message, reply) => server.emit("request", message, reply));
}

/** RFC 9112, 3.2: HTTP/1.1 requires a Host header. Whether the request was rejected because it has none. */
export function refusesHostless(message: IncomingMessage, reply: ServerResponse): boolean {
  if (message.headers.host !== undefined || message.httpVersion !== "1.1") return false;
  const { headers, body } = unreadable("the request has no Host header");
  reply.writeHead(400, headers).end(body);
  return true;
}

/** Acts after the latency that `--latency` sets, unless the client leaves first. */
export function afterLatency({ options }: SandboxState, reply: ServerResponse, act: () => void): void {
  const { latencyMs = 0 } = options;
  if (latencyMs === 0) act();
  else reply.once("close", after(latencyMs, act));
}
