import http from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { disturb, type DisturbanceKind } from "./disturbing/disturbances.ts";

/** Another response of the service: requested when it is needed, or one that has gone through the proxy. */
export type Source = { readonly url: string } | { readonly body: string };

/** One disturbed response. It is plain data, so a test can print what it did. */
export interface Strike {
  /** Path and query, exactly as the program requests them. */
  readonly url: string;
  readonly kind: DisturbanceKind;
  /** How many responses to this URL are disturbed; Infinity is a cache that keeps the wrong response. */
  readonly times: number;
  readonly before?: Source | undefined;
  readonly stale?: Source | undefined;
  readonly foreign?: Source | undefined;
  readonly overlap: number;
  readonly seed: number;
}

/** A successful response as the service sent it. */
export interface Exchange {
  readonly url: string;
  readonly body: string;
}

/** A disturbed response, and the correct one. */
export interface Change {
  readonly url: string;
  readonly body: string;
  readonly changed: string;
}

/** What stands around the service while a program is kept running for days. */
export interface Surroundings {
  /** The service, if it is another one from time to time. */
  readonly service?: () => string;
  /** Called before each request is passed on. */
  readonly arrived?: (url: string) => Promise<void> | void;
  /** Returns the `Date` header to send; undefined leaves it out. */
  readonly date?: (date: string | undefined) => string | undefined;
}

/** Returns how to disturb this response, if at all. `history` has the earlier ones, without this one. */
export type Plan = (exchange: Exchange, history: readonly Exchange[]) => Strike | undefined;

export interface DisturbingProxy {
  /** `http://127.0.0.1:PORT`; takes the place of the REST host. */
  readonly url: string;
  /** Forgets everything so far, and disturbs the responses from now on: as planned, or not at all. */
  readonly begin: (plan?: readonly Strike[] | Plan) => void;
  /** The URLs that the program has requested, in the order of arrival. */
  readonly requested: readonly string[];
  /** What the service sent in return, before any disturbance; only status 200. */
  readonly exchanges: readonly Exchange[];
  /** The responses that really were different from what the service sent. */
  readonly struck: readonly Strike[];
  /** What they were, in the same order. */
  readonly changes: readonly Change[];
  readonly close: () => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a reverse proxy before a REST host on 127.0.0.1, e.g. the sandbox's. It forwards everything until `begin`. */
export async function startDisturbingProxy(
  usual: string,
  { service = () => usual, arrived, date }: Surroundings = {},
): Promise<DisturbingProxy> {
  const agent = new http.Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  const requested: string[] = [];
  const exchanges: Exchange[] = [];
  const struck: Strike[] = [];
  const changes: Change[] = [];
  let plan: Plan = () => undefined;

  const serve = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const url = request.url ?? "";
    requested.push(url);
    const asOf = plan;
    await arrived?.(url);
    const ask = async (target: string): Promise<Answer> => await forward(agent, service(), target, request);
    const answer = await ask(url);
    const body = answer.status === 200 ? await change({ url, body: answer.body }, asOf, ask) : undefined;
    const { headers } = answer;
    const sent = date === undefined ? headers : { ...headers, date: date(headers.date) };
    respond(response, { ...answer, headers: sent }, body ?? answer.body);
  };

  const change = async (
    exchange: Exchange,
    asOf: Plan,
    ask: (url: string) => Promise<Answer>,
  ): Promise<string | undefined> => {
    const strike = asOf(exchange, exchanges);
    exchanges.push(exchange);
    if (strike === undefined) return undefined;
    const resolve = async (source: Source | undefined): Promise<string | undefined> => {
      if (source === undefined || "body" in source) return source?.body;
      const { status, body } = await ask(source.url);
      return status === 200 ? body : undefined;
    };
    const [before, stale] = [await resolve(strike.before), await resolve(strike.stale)];
    const foreign = await resolve(strike.foreign);
    const { overlap, seed, kind } = strike;
    const changed = disturb(kind, exchange.body, { before, stale, foreign, overlap, seed });
    if (changed !== undefined) {
      struck.push(strike);
      changes.push({ ...exchange, changed });
    }
    return changed;
  };

  const server = http.createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A run that ends closes its connections.
    socket.on("error", () => {});
  });
  const url = await listen(server);

  return {
    url,
    begin: (next) => {
      plan = typeof next === "function" ? next : planOf(next ?? []);
      for (const list of [requested, exchanges, struck, changes]) list.length = 0;
    },
    requested,
    exchanges,
    struck,
    changes,
    close: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await closed;
    },
  };
}

/** Counts the responses to each URL. */
function planOf(strikes: readonly Strike[]): Plan {
  const left = new Map(strikes.map((strike) => [strike.url, strike.times]));
  return ({ url }) => {
    const times = left.get(url) ?? 0;
    if (times <= 0) return undefined;
    left.set(url, times - 1);
    return strikes.find((strike) => strike.url === url);
  };
}

async function forward(
  agent: http.Agent,
  service: string,
  target: string,
  { method, headers }: http.IncomingMessage,
): Promise<Answer> {
  const { hostname, port } = new URL(service);
  // Compressed bodies could not be cut.
  const sent = { ...headers, host: `${hostname}:${port}`, "accept-encoding": "identity" };
  const message = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http
      .request({ hostname, port, path: target, method: method ?? "GET", agent, headers: sent }, resolve)
      .once("error", reject)
      .end();
  });
  const body = (await buffer(message)).toString("utf8");
  return { status: message.statusCode ?? 0, headers: message.headers, body };
}

/** Headers of one connection, and those that would describe the original body. */
const dropped = [
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding",
  "etag",
];

function respond(response: http.ServerResponse, { status, headers }: Answer, body: string): void {
  response.statusCode = status;
  // Node adds its own otherwise.
  response.sendDate = false;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !dropped.includes(name)) response.setHeader(name, value);
  }
  response.end(body);
}

async function listen(server: http.Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return `http://127.0.0.1:${address.port}`;
}
