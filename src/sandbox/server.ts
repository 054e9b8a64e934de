import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type KeyedTier, sandboxKeys } from "./caller.ts";
import type { SandboxHost, SandboxOptions, SandboxResponse } from "./exchange.ts";
import { handle } from "./handle.ts";
import { createSandboxState, type SandboxState } from "./state.ts";

export interface RunningSandbox {
  /** `http://127.0.0.1:PORT`, for keyless and free callers. */
  readonly restFree: string;
  /** For dev, pro and enterprise keys. */
  readonly restPaid: string;
  /** A key that counts, for each tier that has one. */
  readonly keys: Readonly<Record<KeyedTier, string>>;
  /** Ends open connections at once. */
  readonly close: () => Promise<void>;
}

// Never another interface: whoever could reach it would believe made-up prices.
const LOOPBACK = "127.0.0.1";

/** Puts the service on loopback; it stays up until `close`. Rejects when a port is taken. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const state = createSandboxState(options);
  const hosts: readonly SandboxHost[] = ["rest_free", "rest_paid"];
  const servers = hosts.map((host) => serve(host, state));
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(stop));
  };
  try {
    const port = options.port ?? 0;
    const [restFree = "", restPaid = ""] = await Promise.all(
      servers.map((server, index) => listen(server, port === 0 ? 0 : port + index)),
    );
    return { restFree, restPaid, keys: sandboxKeys, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function serve(host: SandboxHost, state: SandboxState): Server {
  const server = createServer((message, reply) => {
    const started = state.options.elapsed();
    // Nothing here reads a body; unread, it would keep the connection from its next request.
    message.resume();
    const response = handle(
      {
        method: message.method ?? "GET",
        target: message.url ?? "/",
        headers: singleValues(message),
        remoteAddress: message.socket.remoteAddress ?? LOOPBACK,
        host,
      },
      state,
    );
    const send = (): void => {
      respond(reply, response);
      log(host, message, response, state.options.elapsed() - started, state);
    };
    const latency = state.options.latencyMs ?? 0;
    if (latency === 0) return send();
    // A wait of the service, not of the program: nothing of it goes through a Context.
    // oxlint-disable-next-line no-restricted-globals
    const timer = setTimeout(send, latency);
    reply.once("close", () => clearTimeout(timer));
  });
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end(UNREADABLE);
  });
  return server;
}

const body = '{"error":"invalid_param","message":"the request is not HTTP"}';
const UNREADABLE = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nX-Api-Plan: keyless\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

function respond(reply: ServerResponse, { status, headers, body: text }: SandboxResponse): void {
  reply.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(text) });
  reply.end(text);
}

/** The key itself is never written, only which tier it belongs to. */
function log(
  host: SandboxHost,
  message: IncomingMessage,
  { status, account }: SandboxResponse,
  milliseconds: number,
  { options }: SandboxState,
): void {
  options.log?.(
    JSON.stringify({
      time: new Date(options.now()).toISOString(),
      host,
      method: message.method,
      url: message.url,
      status,
      plan: account.plan,
      credits: account.credits,
      key: account.key,
      ms: Math.round(milliseconds * 1000) / 1000,
    }),
  );
}

/** Of a header sent twice the first value counts; Node already joins or drops where HTTP says so. */
function singleValues(message: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, () => resolve(`http://${LOOPBACK}:${portOf(server.address())}`));
  });
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Called with an error when it never listened, which is as stopped as it can be.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
