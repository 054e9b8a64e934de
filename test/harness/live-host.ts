import http from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../src/base/context/context.ts";

/** An event of the market. It is due whether or not anybody listens. */
export interface DueEvent {
  /** `network:address`. */
  readonly asset: string;
  /** Different for each event of a host. */
  readonly number: number;
  /** In milliseconds on the wall clock. */
  readonly due: number;
}

export interface LiveConnection {
  /** The assets of the request, as `network:address`, in its order. */
  readonly assets: readonly string[];
  readonly index: number;
  readonly openedAt: number;
  readonly isOpen: () => boolean;
  /** Nothing arrives until `mend`; what is sent meanwhile arrives then. */
  readonly breakPath: () => void;
  readonly mend: () => void;
  /** Sends no events and no pings until `proceed`; the events are not sent later. */
  readonly freeze: () => void;
  readonly proceed: () => void;
  /** Sends these bytes in turn with the events. */
  readonly send: (text: string) => void;
  /** Ends the stream as a service does. */
  readonly end: () => void;
  /** Closes the socket: what has not arrived is lost. */
  readonly cut: () => void;
}

/** A response instead of a stream. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface LiveOptions {
  readonly clock: Pick<Clock, "now" | "elapsed" | "sleep">;
  readonly random: () => number;
  /** Mean milliseconds between two events of an asset; a time per asset. */
  readonly every: (asset: string) => number;
  readonly pingEvery?: number;
  /** May leave out entries and renumber the rest, as some services do. */
  readonly entries?: (assets: readonly string[]) => readonly string[];
  /** Called before a connection opens. */
  readonly refuse?: (assets: readonly string[], index: number) => Refusal | undefined;
  /** The name of the events; prices by default. */
  readonly event?: string;
  /** Called with the query of each request, and the time in milliseconds. */
  readonly query?: (query: URLSearchParams, now: number) => void;
  /** Milliseconds from the opening to the end of each connection. */
  readonly life?: number;
}

/** A page of a balancer or a proxy in front of the service. */
export const page = (status: number): Refusal => ({
  status,
  type: "text/html",
  body: `<html><head><title>${status}</title></head><body><hr>nginx</body></html>`,
});

const tick = 50;

export type LiveHost = Awaited<ReturnType<typeof startLiveHost>>;

/**
 * A streaming host with a market of its own, which plays what services, balancers and proxies do. It knows when each
 * event was due, so a test can tell what is missing in a file. All its times are on the given clock.
 */
export async function startLiveHost(options: LiveOptions) {
  const { clock, random, every, pingEvery = 15_000, entries = (assets) => assets } = options;
  const events: DueEvent[] = [];
  const connections: LiveConnection[] = [];
  const streams = new Set<Stream>();
  const sockets = new Set<Socket>();
  const markets = new Map<string, number>();
  const done = new AbortController();
  let [numbers, requests] = [0, 0];

  const dueAfter = (asset: string, from: number): number =>
    from + Math.max(1, -Math.log(1 - random()) * every(asset));

  const advance = (): void => {
    const now = clock.now();
    const fresh: DueEvent[] = [];
    for (const [asset, next] of markets) {
      let due = next;
      for (; due <= now; due = dueAfter(asset, due)) {
        numbers += 1;
        fresh.push({ asset, number: numbers, due });
      }
      markets.set(asset, due);
    }
    fresh.sort((a, b) => a.due - b.due);
    events.push(...fresh);
    for (const stream of streams) stream.advance(fresh, clock.elapsed());
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(tick, done.signal);
      advance();
    }
  };
  run().catch((cause: unknown) => {
    if (!done.signal.aborted) throw cause;
  });

  const server = http.createServer((request, response) => {
    options.query?.(new URL(request.url ?? "", "http://localhost").searchParams, clock.now());
    void readAssets(request).then((assets) => {
      const refusal = options.refuse?.(assets, requests);
      requests += 1;
      if (refusal !== undefined) {
        response.writeHead(refusal.status, { "content-type": refusal.type }).end(refusal.body);
        return;
      }
      for (const asset of assets) if (!markets.has(asset)) markets.set(asset, dueAfter(asset, clock.now()));
      advance();
      const { life = Number.POSITIVE_INFINITY } = options;
      const opened = clock.elapsed();
      const { event = "token_price" } = options;
      const stream = createStream(response, entries(assets), {
        opened,
        pingEvery,
        until: opened + life,
        event,
      });
      streams.add(stream);
      response.on("close", () => streams.delete(stream));
      connections.push({
        ...stream.control,
        assets,
        index: connections.length,
        openedAt: clock.now(),
        isOpen: () => streams.has(stream),
      });
    });
  });
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the host has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** All events so far, by the time at which they were due. */
    events,
    /** All connections that were ever open. */
    connections,
    requests: () => requests,
    open: () => connections.filter(({ isOpen }) => isOpen()),
    close: async () => {
      done.abort("closed");
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

type Stream = ReturnType<typeof createStream>;

interface Life {
  /** On the monotonic clock. */
  readonly opened: number;
  readonly until: number;
  readonly pingEvery: number;
  readonly event: string;
}

function createStream(
  response: http.ServerResponse,
  entries: readonly string[],
  { opened, until, pingEvery, event: name }: Life,
) {
  let [isBroken, isFrozen] = [false, false];
  let pending = "";
  let pinged = opened;
  const flush = (): void => {
    if (isBroken || pending === "" || response.destroyed) return;
    response.write(pending);
    pending = "";
  };
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  return {
    advance: (events: readonly DueEvent[], elapsed: number): void => {
      if (!isFrozen) {
        for (const event of events) pending += frameOf(event, entries.indexOf(event.asset), name);
        if (elapsed - pinged >= pingEvery) {
          pinged += pingEvery;
          pending += 'event: ping\ndata: {"time":1}\n\n';
        }
      }
      flush();
      if (elapsed >= until) response.end();
    },
    control: {
      breakPath: () => {
        isBroken = true;
      },
      mend: () => {
        isBroken = false;
        flush();
      },
      freeze: () => {
        isFrozen = true;
      },
      proceed: () => {
        isFrozen = false;
      },
      send: (text: string) => {
        pending += text;
        flush();
      },
      end: () => {
        response.end();
      },
      cut: () => {
        response.destroy();
      },
    },
  };
}

/** Empty for an asset that is not streamed. */
function frameOf({ asset, number, due }: DueEvent, entry: number, name: string): string {
  return entry < 0 ? "" : eventText(asset, number, due, entry, name);
}

/** `due` is in milliseconds; `id` is the `request_id` as sent. */
export function eventText(
  asset: string,
  number: number,
  due: number,
  id: number | string,
  name = "token_price",
): string {
  const [chain = "", address = ""] = asset.split(":");
  const row = { address, chain, p: String(number), timestamp: Math.floor(due / 1000), number };
  return `event: ${name}\ndata: ${JSON.stringify(row)}\nrequest_id: ${id}\n\n`;
}

async function readAssets(request: http.IncomingMessage): Promise<readonly string[]> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  if (request.method !== "POST") return [`${searchParams.get("chain")}:${searchParams.get("address")}`];
  const asked: readonly { readonly chain: string; readonly address: string }[] = JSON.parse(body);
  return asked.map(({ chain, address }) => `${chain}:${address}`);
}
