import type { IncomingMessage, Server, ServerResponse } from "node:http";

/**
 * The 400 of a request that never reaches the service, because HTTP itself is at fault. It costs nothing, and nobody
 * knows whose it is.
 */
function unreadable(message: string): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
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

/** Answers in JSON what Node would refuse with an empty body. */
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

/** RFC 9112, 3.2: HTTP/1.1 requires a Host header. Whether the request was refused for the lack of it. */
export function refusesHostless(message: IncomingMessage, reply: ServerResponse): boolean {
  if (message.headers.host !== undefined || message.httpVersion !== "1.1") return false;
  const { headers, body } = unreadable("the request has no Host header");
  reply.writeHead(400, headers).end(body);
  return true;
}
