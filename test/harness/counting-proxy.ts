import http from "node:http";
import type { Socket } from "node:net";
import { afterEachTest } from "./after-tests.ts";

/** What the proxy does to a request instead of passing on the response. */
type Fault = "429" | "500" | "cut" | "reset";

export interface CountingProxy {
  readonly url: string;
  /** Credits by the specification's rules, counted when the response was sent. */
  readonly charged: () => number;
  /** The number of streams that were opened when `charged` had reached the limit. */
  readonly openingsAfter: (limit: number) => number;
}

interface CountingOptions {
  /** The REST host behind the proxy. */
  readonly rest: string;
  readonly random: () => number;
  /** The share of requests with a fault, streams included. */
  readonly faults: number;
  /** Events that each stream sends when it opens, before the service ends it. */
  readonly burst: () => number;
}

const servers: (() => Promise<void>)[] = [];
afterEachTest(async () => {
  for (const close of servers.splice(0)) await close();
});

/**
 * Stands between the program and the sandbox, and keeps its own books: 2xx, 400, 404 and 410 cost one credit, a 2xx of a
 * batch one per token, and each event of a stream one. Everything else is free.
 */
export async function startCountingProxy(options: CountingOptions): Promise<CountingProxy> {
  const { rest, random, faults, burst } = options;
  let charged = 0;
  const openings: number[] = [];
  const sockets = new Set<Socket>();

  const stream = (name: string, isCut: boolean, response: http.ServerResponse): void => {
    openings.push(charged);
    const events = burst();
    charged += events;
    const event = (index: number): string => `event: ${name}\ndata: {"p":"${index}"}\nrequest_id: 0\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream", "x-api-plan": "pro" });
    const text = Array.from({ length: events }, (_, index) => event(index)).join("");
    if (!isCut) return void response.end(text);
    // Whole events arrive, but not the end of the response.
    response.write(text, () => response.socket?.end());
  };

  const pass = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", rest);
    response.sendDate = false;
    const fault = random() < faults ? pick(random) : undefined;
    if (fault === "reset") return void request.socket.resetAndDestroy();
    if (fault === "429" || fault === "500") {
      const error = fault === "429" ? "rate_limited" : "internal_error";
      response.writeHead(Number(fault), { "content-type": "application/json", "retry-after": "1" });
      response.end(JSON.stringify({ error, message: "a fault of the test" }));
      return;
    }
    if (url.pathname.startsWith("/sse/")) {
      const name = url.pathname === "/sse/transactions" ? "pool" : "token_price";
      return stream(name, fault === "cut", response);
    }
    const authorization = request.headers.authorization;
    const passed = await fetch(url, authorization === undefined ? {} : { headers: { authorization } });
    const body = Buffer.from(await passed.arrayBuffer());
    charged += costOf(passed.status, url);
    // The sandbox has a time of its own.
    const date = passed.headers.get("date") ?? "";
    const headers = { "content-type": "application/json", "content-length": body.length, date };
    response.writeHead(passed.status, headers);
    if (fault !== "cut") return void response.end(body);
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy());
  };

  const server = http.createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // Resets are intended.
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  servers.push(async () => {
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    charged: () => charged,
    openingsAfter: (limit) => openings.filter((at) => at >= limit).length,
  };
}

function pick(random: () => number): Fault {
  const all = ["429", "500", "cut", "reset"] as const;
  return all[Math.floor(random() * all.length)] ?? "429";
}

function costOf(status: number, { pathname, searchParams }: URL): number {
  if ([400, 404, 410].includes(status)) return 1;
  if (status < 200 || status >= 300) return 0;
  return pathname.endsWith("/multi/prices") ? (searchParams.get("tokens") ?? "").split(",").length : 1;
}
