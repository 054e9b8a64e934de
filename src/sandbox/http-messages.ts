import type { IncomingMessage, ServerResponse } from "node:http";
import type { Accounting, SandboxHost, SandboxRequest, SandboxResponse } from "./exchange.ts";
import type { SandboxState } from "./state.ts";

export function readRequest(message: IncomingMessage, host: SandboxHost): SandboxRequest {
  return {
    method: message.method ?? "GET",
    target: message.url ?? "/",
    headers: singleValues(message),
    remoteAddress: message.socket.remoteAddress ?? "127.0.0.1",
    host,
  };
}

/** Of a header sent twice the first value counts; Node already joins or drops where HTTP says so. */
function singleValues(message: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

export function respond(reply: ServerResponse, { status, headers, body }: SandboxResponse): void {
  reply.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  reply.end(body);
}

/** One line a request, a stream's when it opens. The key itself is never written, only its tier. */
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
