import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { type CertificateName, certificateOptions } from "./certificates.ts";

/** A complete request as it arrived: a request whose body never ends is not recorded. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query exactly as on the request line. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds of a monotonic clock, for the gaps between requests. */
  readonly at: number;
}

/** Returns the reply to the request with this index, from 0. A promise delays the request until it resolves. */
export type Script = (request: SeenRequest, index: number) => Reply | Promise<Reply>;

export interface ScriptedServer {
  /** `http://127.0.0.1:PORT`, or another address, without a trailing slash. */
  readonly url: string;
  /** All requests so far; grows while the server runs. */
  readonly requests: readonly SeenRequest[];
  /** Requests whose response is neither complete nor aborted. */
  readonly openRequests: () => number;
  /** Ends every socket at once. Rejects with the script's error, so that a broken script fails its test. */
  readonly close: () => Promise<void>;
}

type Bytes = string | Uint8Array;

/** The server's action for a request, created by the functions below. */
export type Reply =
  | {
      readonly mode: "answer";
      readonly status: number;
      readonly headers: http.OutgoingHttpHeaders;
      readonly body: Bytes;
    }
  | {
      readonly mode: "raw";
      readonly chunks: readonly Bytes[];
      readonly everyMs: number;
      readonly thenClose: boolean;
    }
  | { readonly mode: "reset"; readonly before: string }
  | { readonly mode: "hang" }
  | {
      readonly mode: "slow";
      readonly status: number;
      readonly headers: http.OutgoingHttpHeaders;
      readonly headersMs: number;
      readonly chunks: readonly Bytes[];
      readonly everyMs: number;
      readonly stayOpen: boolean;
    }
  | {
      readonly mode: "endless";
      readonly status: number;
      readonly headers: http.OutgoingHttpHeaders;
      readonly chunk: Bytes;
    };

export interface Place {
  /** Speaks TLS with this certificate. */
  readonly certificate?: CertificateName;
  readonly host?: "127.0.0.1" | "::1";
}

/**
 * Starts a server on 127.0.0.1 that does what a correct service would not; use the sandbox for correct behavior. Close
 * it; `serveInTest` does so after the test.
 */
export async function startScriptedServer(
  script: Script,
  { certificate, host = "127.0.0.1" }: Place = {},
): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const faults: unknown[] = [];
  let open = 0;

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    open += 1;
    // Emitted once for each response: complete, or its socket closed.
    response.once("close", () => {
      open -= 1;
    });
    const seen = await readRequest(request);
    if (seen === undefined) return;
    const index = requests.push(seen) - 1;
    const reply = await script(seen, index);
    if (!response.destroyed) await play(reply, response, request.socket);
  }

  const heed: http.RequestListener = (request, response) => {
    serve(request, response).catch((fault: unknown) => {
      faults.push(fault);
      request.socket.destroy();
    });
  };
  const server =
    certificate === undefined
      ? http.createServer(heed)
      : https.createServer(certificateOptions(certificate), heed);
  // Only the script ends a connection: a server that closes idle ones makes a test depend on the machine's speed.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  server.on("connection", (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // The test may intend the client's reset.
    socket.on("error", () => {});
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the scripted server has no port");

  return {
    url: `http${certificate === undefined ? "" : "s"}://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    requests,
    openRequests: () => open,
    close: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      for (const socket of sockets) socket.destroy();
      await closed;
      if (faults.length > 0) throw faults[0];
    },
  };
}

async function readRequest(request: http.IncomingMessage): Promise<SeenRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
  } catch {
    // The client closed the connection in the middle of its request.
    return undefined;
  }
  const url = request.url ?? "";
  const questionMark = url.indexOf("?");
  return {
    method: request.method ?? "",
    url,
    path: questionMark === -1 ? url : url.slice(0, questionMark),
    query: new URLSearchParams(questionMark === -1 ? "" : url.slice(questionMark + 1)),
    headers: request.headers,
    body: Buffer.concat(chunks).toString("utf8"),
    at: performance.now(),
  };
}

async function play(reply: Reply, response: http.ServerResponse, socket: Socket): Promise<void> {
  switch (reply.mode) {
    case "answer":
      // Sets headers one by one: `writeHead` would keep Node from adding the content-length.
      response.statusCode = reply.status;
      for (const [name, value] of Object.entries(reply.headers)) {
        if (value !== undefined) response.setHeader(name, value);
      }
      response.end(reply.body);
      return;
    case "raw":
      for (const [index, chunk] of reply.chunks.entries()) {
        if (index > 0 && reply.everyMs > 0) await wait(reply.everyMs);
        if (socket.destroyed) return;
        await sent(socket, chunk);
      }
      // `end` alone would leave the other half open until the client closes it.
      if (reply.thenClose) socket.end(() => socket.destroy());
      return;
    case "reset":
      if (reply.before !== "") {
        await sent(socket, reply.before);
        // Some systems discard data that the reader has not received when the RST arrives.
        await wait(20);
        // If this process was late, the client in it would find the bytes and the RST at once, which Node reports as an end.
        await nextTurn();
      }
      socket.resetAndDestroy();
      return;
    case "hang":
      return;
    case "slow":
      await wait(reply.headersMs);
      if (response.destroyed) return;
      response.writeHead(reply.status, reply.headers).flushHeaders();
      for (const chunk of reply.chunks) {
        await wait(reply.everyMs);
        if (response.destroyed) return;
        response.write(chunk);
      }
      if (!reply.stayOpen) response.end();
      return;
    case "endless":
      response.writeHead(reply.status, reply.headers);
      while (!response.destroyed) {
        // Waiting prevents a stalled reader from filling this process's memory.
        if (!response.write(reply.chunk)) await roomOrClosed(response);
      }
      return;
  }
}

/** Resolves when the system has accepted the bytes, or the socket is closed. */
function sent(socket: Socket, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.write(chunk, () => resolve());
  });
}

function roomOrClosed(response: http.ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

export interface AnswerOptions {
  readonly status?: number;
  /** Added to the headers of the builder; the same name replaces one, if spelled the same. */
  readonly headers?: http.OutgoingHttpHeaders;
}

/** Returns a JSON response. A string is sent unchanged: text that is not JSON, or digits that `stringify` would lose. */
export function json(value: unknown, options: AnswerOptions = {}): Reply {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return answer(body, { ...options, headers: { "content-type": "application/json", ...options.headers } });
}

/** Returns any bytes as a JSON response: invalid UTF-8, a BOM, a compressed body with its `content-encoding`. */
export function bytes(body: Uint8Array, headers: http.OutgoingHttpHeaders = {}, status: number = 200): Reply {
  return { mode: "answer", status, headers: { "content-type": "application/json", ...headers }, body };
}

/** Returns the page of an edge in front of the service (specification, Authentication 6). */
export function html(status: number): Reply {
  const page =
    "<!DOCTYPE html>\n<html><head><title>Attention: you have been blocked</title></head>" +
    "<body><h1>Sorry, you have been blocked</h1><script>alert(1)</script></body></html>\n";
  return answer(page, { status, headers: { "content-type": "text/html; charset=UTF-8" } });
}

/** Returns an empty body, as the public service does for some 404s. */
export function empty(status: number, headers: http.OutgoingHttpHeaders = {}): Reply {
  return answer("", { status, headers });
}

/**
 * Writes bytes to the socket unchanged, including the status line, then closes the connection (unless `stayOpen`). Each
 * chunk is a separate write; only with `everyMs` does a reader certainly see them separately.
 */
export function raw(
  chunks: readonly Bytes[],
  options: { readonly everyMs?: number; readonly stayOpen?: boolean } = {},
): Reply {
  return { mode: "raw", chunks, everyMs: options.everyMs ?? 0, thenClose: !(options.stayOpen ?? false) };
}

/** Sends an RST in place of a response: before any byte, after the headers, or in the middle of the body. */
export function reset(when: "before" | "headers" | "body"): Reply {
  const headers = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
  const before = { before: "", headers, body: `${headers}[{"id":"0x` };
  return { mode: "reset", before: before[when] };
}

/** Never responds, and keeps the connection open. */
export function hang(): Reply {
  return { mode: "hang" };
}

export interface SlowOptions extends AnswerOptions {
  /** The wait before the status line. */
  readonly headersMs?: number;
  readonly chunks: readonly Bytes[];
  /** The wait before each chunk. */
  readonly everyMs?: number;
  /** Silence after the last chunk instead of the end. */
  readonly stayOpen?: boolean;
}

/** Returns a slow chunked response, e.g. an event stream with its `content-type`. */
export function slow(options: SlowOptions): Reply {
  return {
    mode: "slow",
    status: options.status ?? 200,
    headers: { "content-type": "application/json", ...options.headers },
    headersMs: options.headersMs ?? 0,
    chunks: options.chunks,
    everyMs: options.everyMs ?? 0,
    stayOpen: options.stayOpen ?? false,
  };
}

export function redirect(location: string, status: number = 302): Reply {
  return answer("", { status, headers: { location } });
}

/** Returns an endless body: the same chunk as fast as the client reads, until it closes the connection. */
export function endless(chunk: Bytes, options: AnswerOptions = {}): Reply {
  if (chunk.length === 0) throw new Error("an endless body needs a chunk that is not empty");
  return {
    mode: "endless",
    status: options.status ?? 200,
    headers: { "content-type": "application/json", ...options.headers },
    chunk,
  };
}

function answer(body: Bytes, options: AnswerOptions): Reply {
  return { mode: "answer", status: options.status ?? 200, headers: options.headers ?? {}, body };
}
