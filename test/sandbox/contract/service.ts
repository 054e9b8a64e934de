import http from "node:http";
import { afterAll, beforeAll, describe } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/sandbox-exchange.ts";
import type { RunningSandbox } from "../../../src/sandbox/server.ts";
import { startSandbox } from "../../harness/bundled-sandbox.ts";

/** A response as received over the wire. */
export interface Answer {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed text. Integers above 2^53 are rounded here, so tests check digits in `text`. */
  readonly body: unknown;
}

export interface ListRequest {
  readonly method?: string;
  /** The complete Authorization value; undefined sends no header. */
  readonly key?: string | undefined;
  readonly host?: "free" | "paid";
}

export interface Service {
  /** Requests a literal path. Without `host` and `key`, it uses the paid host and a pro key. */
  readonly ask: (path: string, asking?: ListRequest) => Promise<Answer>;
  readonly clock: TestClock;
}

/** Both clocks of a sandbox, set by the test. */
export interface TestClock {
  /** Simulated time, milliseconds since the epoch. */
  now: number;
  /** Real time, milliseconds. */
  elapsed: number;
}

/** The start time of every contract test: 2026-10-02T12:00:00Z. */
export const NOON = 1_790_942_400;
export const DAY = 86_400;
export const PRO = "api_pro_contract";
export const DEV = "api_dev_contract";
export const FREE = "api_free_contract";
export const ENTERPRISE = "api_enterprise_contract";

/** USDC/WETH 0.05 % of Uniswap V3, the busiest pool of ethereum. */
export const USDC_WETH = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
export const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
export const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

export type Options = Partial<Omit<SandboxOptions, "now" | "elapsed">> & {
  /** Applies each tier's own rate; without it, the rate limit is lifted. */
  readonly hasOwnRates?: true;
};

/** Runs the suite over a real socket, as all callers reach the sandbox. */
export function contract(name: string, options: Options, suite: (service: Service) => void): void {
  describe(name, () => {
    const clock: TestClock = { now: NOON * 1000, elapsed: 0 };
    let sandbox: RunningSandbox;
    beforeAll(async () => {
      sandbox = await startSandbox({
        ...(options.hasOwnRates === undefined && { requestsPerMinute: 1_000_000 }),
        ...options,
        now: () => clock.now,
        elapsed: () => clock.elapsed,
      });
    });
    afterAll(() => sandbox.close());
    suite({
      clock,
      ask: (path, asking = { key: PRO }) =>
        exchange(asking.host === "free" ? sandbox.restFree : sandbox.restPaid, path, asking),
    });
  });
}

/** Sends one request as written: the path is not normalized and no headers are added. */
export function exchange(base: string, path: string, asking: ListRequest): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        hostname,
        port,
        path,
        method: asking.method ?? "GET",
        headers: asking.key === undefined ? {} : { authorization: asking.key },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
            ),
            text,
            body: parsed(text),
          }),
        );
      },
    );
    request.on("error", reject);
    request.end();
  });
}

/** The value at a dotted path in a body; undefined if the path does not exist. */
export function at(body: unknown, path: string): unknown {
  let value = body;
  for (const step of path === "" ? [] : path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** The array at a dotted path. */
export function list(body: unknown, path = ""): readonly unknown[] {
  const value = at(body, path);
  if (!Array.isArray(value))
    throw new Error(`no array at "${path}" of ${JSON.stringify(body)?.slice(0, 200)}`);
  return value;
}

/** Returns one field of every row of an array. */
export function column(body: unknown, path: string, field: string): readonly unknown[] {
  return list(body, path).map((row) => at(row, field));
}

/** Returns one numeric field of every row. */
export function numbers(body: unknown, path: string, field: string): readonly number[] {
  return column(body, path, field).map((value) => {
    if (typeof value !== "number") throw new Error(`${field} is no number: ${JSON.stringify(value)}`);
    return value;
  });
}

/** Splits a text into words, which is shorter than an array. */
export function words(text: string): string[] {
  return text.split(" ");
}

export function keysOf(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** Follows `next_cursor` to the end of a search; `between` runs before every page except the first. */
export async function allPages(
  service: Service,
  path: string,
  between: () => void = () => {},
): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  let answer = await service.ask(path);
  for (;;) {
    rows.push(...list(answer.body, "results"));
    if (at(answer.body, "has_next_page") !== true) return rows;
    between();
    const cursor = encodeURIComponent(String(at(answer.body, "next_cursor")));
    answer = await service.ask(`${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`);
  }
}

/** An error body in one line for exact comparison: `400 invalid_param limit`. */
export function refusal({ status, body }: Answer): string {
  const named = ["error", "param", "resource"].map((name) => at(body, name));
  return [status, ...named.filter((value) => typeof value === "string")].join(" ");
}

/** Undefined for an empty body and for an HTML page. Anything else must be JSON, or the test fails. */
function parsed(text: string): unknown {
  return text === "" || text.startsWith("<!DOCTYPE html>") ? undefined : JSON.parse(text);
}
