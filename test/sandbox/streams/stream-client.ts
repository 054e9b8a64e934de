import http from "node:http";
import { afterEachTest } from "../../harness/after-tests.ts";
import { startSandbox } from "../../harness/bundled-sandbox.ts";
import type { SandboxOptions } from "../../../src/sandbox/sandbox-exchange.ts";
import type { RunningSandbox } from "../../../src/sandbox/server.ts";
import { exchange, NOON, type TestClock } from "../contract/service.ts";

/** A received frame: its lines by name, and the parsed data. */
export interface Frame {
  readonly lines: readonly string[];
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  readonly id: string | undefined;
}

/**
 * The result of a request to a stream host: a stream, or an error whose text is complete once it resolves.
 */
export interface Opened {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Everything received so far. */
  readonly text: () => string;
  readonly frames: () => readonly Frame[];
  /** Frames other than pings. */
  readonly events: () => readonly Frame[];
  /** Resolves once this many frames other than pings have arrived; rejects if the stream ends before. */
  readonly until: (count: number) => Promise<readonly Frame[]>;
  readonly pinged: (count: number) => Promise<void>;
  /** The time of the last ping. */
  readonly pingedAt: () => number;
  /** Resolves once the response on the connection has ended, for any reason. */
  readonly ended: Promise<void>;
  readonly response: http.IncomingMessage;
  readonly close: () => void;
}

export interface ListRequest {
  readonly key?: string | undefined;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** An address in 127.0.0.0/8, to act as another caller. */
  readonly from?: string;
  readonly host?: "free" | "paid";
}

export interface StreamService {
  readonly sandbox: RunningSandbox;
  readonly clock: TestClock;
  /** Uses the paid host and a pro key by default. */
  readonly open: (path: string, asking?: ListRequest) => Promise<Opened>;
  /** The body of a REST response at the clock's time, requested with a pro key. */
  readonly rest: (path: string) => Promise<unknown>;
  readonly remaining: (key: string) => Promise<number>;
  /** Moves the simulated clock by seconds. */
  readonly pass: (seconds: number) => void;
}

export const PRO = "api_pro_streams";
export const DEV = "api_dev_streams";
export const FREE = "api_free_streams";
export const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
export const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
/** USDC/WETH, which determines the price of both tokens. */
export const POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

export const wethPrice = `/sse/prices?method=token_price&chain=ethereum&address=${WETH}`;
export const usdcPrice = `/sse/prices?method=token_price&chain=ethereum&address=${USDC}`;
export const poolTrades = `/sse/transactions?method=pool&chain=ethereum&address=${POOL}`;
export const wethCandles = `/sse/ohlcv?method=token_ohlcv&chain=ethereum&address=${WETH}`;

const services: StreamService[] = [];
const streams: Opened[] = [];

afterEachTest(async () => {
  for (const stream of streams.splice(0)) stream.close();
  await Promise.all(services.splice(0).map(({ sandbox }) => sandbox.close()));
});

/** A sandbox whose clocks the test moves; it and its streams end with the test. */
export async function serve(options: Partial<SandboxOptions> = {}): Promise<StreamService> {
  const clock: TestClock = { now: NOON * 1000, elapsed: 0 };
  const sandbox = await startSandbox({
    requestsPerMinute: 1_000_000,
    ...options,
    now: () => clock.now,
    elapsed: () => clock.elapsed,
  });
  const service: StreamService = {
    sandbox,
    clock,
    open: async (path, asking = {}) => {
      const host = asking.host ?? (asking.key === undefined || asking.key !== FREE ? "paid" : "free");
      const base = host === "free" ? sandbox.streamFree : sandbox.streamPaid;
      const opened = await open(base, path, { ...asking, key: "key" in asking ? asking.key : PRO });
      streams.push(opened);
      return opened;
    },
    rest: async (path) => (await exchange(sandbox.restPaid, path, { key: "api_pro_rest" })).body,
    remaining: async (key) => {
      const base = key.startsWith("api_free") ? sandbox.restFree : sandbox.restPaid;
      const { headers } = await exchange(base, "/usage", { key });
      return Number(headers["x-credits-remaining"]);
    },
    pass: (seconds) => {
      clock.now += seconds * 1000;
    },
  };
  services.push(service);
  return service;
}

/** Resolves with the head of the response; for an error, once the body has arrived as well. */
export function open(base: string, path: string, asking: ListRequest): Promise<Opened> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        hostname,
        port,
        path,
        agent: false,
        method: asking.method ?? "GET",
        headers: { ...(asking.key !== undefined && { authorization: asking.key }), ...asking.headers },
        ...(asking.from !== undefined && { localAddress: asking.from }),
      },
      (response) => {
        const opened = follow(response, () => request.destroy());
        if (response.headers["content-type"] === "text/event-stream") resolve(opened);
        else void opened.ended.then(() => resolve(opened));
      },
    );
    request.on("error", reject);
    request.end(
      asking.body === undefined
        ? undefined
        : typeof asking.body === "string"
          ? asking.body
          : JSON.stringify(asking.body),
    );
  });
}

function follow(response: http.IncomingMessage, close: () => void): Opened {
  let text = "";
  let isOver = false;
  let check = (): void => {};
  response.setEncoding("utf8");
  const frames: Frame[] = [];
  let rest = "";
  response.on("data", (chunk: string) => {
    text += chunk;
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    if (response.headers["content-type"] === "text/event-stream") frames.push(...parts.map(readFrame));
    check();
  });
  const ended = new Promise<void>((resolve) => {
    response.once("close", () => {
      isOver = true;
      resolve();
      check();
    });
    response.once("error", () => resolve());
  });
  const events = (): readonly Frame[] => frames.filter(({ event }) => event !== "ping");
  const reached = (isReached: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      check = () => {
        if (isReached()) resolve();
        else if (isOver) reject(new Error(`the stream ended after ${JSON.stringify(text.slice(-500))}`));
      };
      check();
    });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    frames: () => frames,
    events,
    until: async (count) => {
      await reached(() => events().length >= count);
      return events();
    },
    pingedAt: () => Number(frames.findLast(({ event }) => event === "ping")?.data["time"] ?? 0),
    pinged: (count) => reached(() => frames.length - events().length >= count),
    ended,
    response,
    close,
  };
}

function readFrame(text: string): Frame {
  const lines = text.split("\n");
  const value = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return {
    lines: lines.map((line) => line.slice(0, line.indexOf(":"))),
    event: value("event") ?? "",
    data: JSON.parse(value("data") ?? "null"),
    requestId: value("request_id"),
    id: value("id"),
  };
}

/** The events, once all up to the clock's time have arrived: a ping follows them every 15 s. */
export async function settled({ clock }: StreamService, stream: Opened): Promise<readonly Frame[]> {
  do {
    const before = stream.frames().length - stream.events().length;
    clock.elapsed += 15_000;
    await stream.pinged(before + 1);
  } while (stream.pingedAt() < Math.floor(clock.now / 1000));
  return stream.events();
}

/** `400 invalid_param chain`, for exact comparison. */
export function refusalOf({ status, text }: Opened): string {
  const body: unknown = JSON.parse(text());
  const named = ["error", "param"].map((name): unknown =>
    typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined,
  );
  return [String(status), ...named.filter((each) => typeof each === "string")].join(" ");
}

export function messageOf({ text }: Opened): unknown {
  return JSON.parse(text()).message;
}
