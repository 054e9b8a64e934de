import http from "node:http";
import net from "node:net";
import { afterEach, expect, test } from "vitest";
import { startSandbox } from "../harness/bundled-sandbox.ts";
import { inTime } from "../harness/in-time.ts";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import type { ReceivedRequest } from "../../src/sandbox/received-request.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox-exchange.ts";
import { at, exchange, NOON } from "./contract/service.ts";

const open: RunningSandbox[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

async function start(options: Partial<SandboxOptions> = {}): Promise<RunningSandbox> {
  const sandbox = await startSandbox({
    now: () => NOON * 1000,
    elapsed: () => performance.now(),
    ...options,
  });
  open.push(sandbox);
  return sandbox;
}

const portOf = (url: string): number => Number(new URL(url).port);

test("10, 44: free and paid REST have two localhost URLs", async () => {
  const { restFree, restPaid } = await start();
  expect([restFree, restPaid].map((url) => new URL(url).hostname)).toEqual(["127.0.0.1", "127.0.0.1"]);
  expect(restFree).not.toBe(restPaid);
});

test("8: a key of each keyed tier is accepted on its host", async () => {
  const { restFree, restPaid, keys } = await start();
  for (const [tier, key] of Object.entries(keys)) {
    const answer = await exchange(tier === "free" ? restFree : restPaid, "/usage", { key });
    expect([key, at(answer.body, "plan")]).toEqual([`api_${tier}_sandbox`, tier]);
  }
});

/** Starts a sandbox on a given port. Other processes may use one of the four ports; then another is tried. */
async function startAtPort(): Promise<{ readonly port: number; readonly sandbox: RunningSandbox }> {
  for (let tries = 1; ; tries += 1) {
    const port = portOf((await start()).restFree);
    await open.pop()?.close();
    try {
      return { port, sandbox: await start({ port }) };
    } catch (cause) {
      if (tries === 20) throw cause;
    }
  }
}

test("listens on the given port and the next three", async () => {
  const { port, sandbox } = await startAtPort();
  const { restFree, restPaid, streamFree, streamPaid } = sandbox;
  const ports = [restFree, restPaid, streamFree, streamPaid].map(portOf);
  expect(ports).toEqual([port, port + 1, port + 2, port + 3]);
});

test("a port in use rejects and leaves no server listening", async () => {
  const taken = net.createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await expect(start({ port: port - 1 })).rejects.toThrow(/EADDRINUSE/);
  await expect(exchange(`http://127.0.0.1:${port - 1}`, "/", {})).rejects.toThrow(/ECONNREFUSED/);
  await new Promise((resolve) => taken.close(resolve));
});

test("close ends keep-alive connections at once", async () => {
  const { restFree } = await start();
  const agent = new http.Agent({ keepAlive: true });
  await new Promise<void>((resolve, reject) => {
    http
      .get(`${restFree}/networks`, { agent }, (response) => response.resume().on("end", resolve))
      .on("error", reject);
  });
  await inTime(500, open.pop()?.close() ?? Promise.reject(new Error("it is not open")));
  agent.destroy();
  await expect(exchange(restFree, "/networks", {})).rejects.toThrow(/ECONNREFUSED/);
});

test.each([60_000, 3_600_000_000])(
  "close ends a request that waits for a latency of %d ms",
  async (latencyMs) => {
    const { restFree } = await start({ latencyMs });
    const waiting = exchange(restFree, "/networks", {});
    const ended = expect(waiting).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await open.pop()?.close();
    await ended;
  },
);

test("latency delays every response", async () => {
  const { restFree } = await start({ latencyMs: 80 });
  const started = performance.now();
  expect((await exchange(restFree, "/networks", {})).status).toBe(200);
  expect(performance.now() - started).toBeGreaterThanOrEqual(79);
});

test("logs each request, without keys", async () => {
  const log: ReceivedRequest[] = [];
  const { restFree, restPaid, keys } = await start({ log: (request) => log.push(request) });
  await exchange(restFree, "/networks?x=%20y", {});
  await exchange(restPaid, "/networks/eth/dexes", { key: keys.pro });
  await exchange(restPaid, "/networks", { key: "Bearer api_pro_secret" });
  await exchange(restPaid, "/networks/tempo/multi/prices?tokens=0x0,0x1", {
    key: "api_dev_secret",
    method: "GET",
  });
  expect(JSON.stringify(log)).not.toMatch(/secret|api_/);
  const entry = { time: "2026-10-02T12:00:00.000Z", method: "GET", ms: expect.any(Number) };
  expect(log).toEqual([
    {
      ...entry,
      host: "rest_free",
      url: "/networks?x=%20y",
      status: 200,
      plan: "keyless",
      credits: 1,
      key: "none",
    },
    {
      ...entry,
      host: "rest_paid",
      url: "/networks/eth/dexes",
      status: 404,
      plan: "pro",
      credits: 1,
      key: "pro",
    },
    {
      ...entry,
      host: "rest_paid",
      url: "/networks",
      status: 401,
      plan: "keyless",
      credits: 0,
      key: "invalid",
    },
    {
      ...entry,
      host: "rest_paid",
      url: "/networks/tempo/multi/prices?tokens=0x0,0x1",
      status: 200,
      plan: "dev",
      credits: 2,
      key: "dev",
    },
  ]);
});

test("keyless credits and rates belong to the address", async () => {
  const { restFree } = await start();
  const statuses: number[] = [];
  for (let asked = 0; asked < 16; asked++) statuses.push((await exchange(restFree, "/usage", {})).status);
  expect(statuses).toEqual([...Array.from({ length: 15 }, () => 200), 429]);
});

/** The bytes a server sends in response to these bytes until it closes. */
async function sendBytes(url: string, bytes: string): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    const socket = net.connect(portOf(url), "127.0.0.1", () => socket.write(bytes));
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}

test.each([
  ["a request that is not HTTP", "nonsense\r\n\r\n", "400 Bad Request", "the request is not HTTP"],
  [
    "a request without Host",
    "GET /networks HTTP/1.1\r\n\r\n",
    "400 Bad Request",
    "the request has no Host header",
  ],
  [
    "a request line of 17 kB",
    `GET /search?query=${"a".repeat(17_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
    "431 Request Header Fields Too Large",
    "the request line and headers are larger than 16 KiB",
  ],
  [
    "a header of 17 kB",
    `GET /networks HTTP/1.1\r\nhost: x\r\nauthorization: ${"a".repeat(17_000)}\r\n\r\n`,
    "431 Request Header Fields Too Large",
    "the request line and headers are larger than 16 KiB",
  ],
])("2: %s gets a JSON response on every host and costs no credits", async (_, bytes, status, message) => {
  const sandbox = await start();
  for (const host of ["restFree", "restPaid", "streamFree", "streamPaid"] as const) {
    const [head = "", body = ""] = (await sendBytes(sandbox[host], bytes)).split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`);
    expect(head).toMatch(/^content-type: application\/json/imu);
    expect(head).toMatch(/^x-api-plan: keyless/imu);
    expect(JSON.parse(body)).toEqual({ error: "invalid_param", message });
  }
  expect((await exchange(sandbox.restFree, "/usage", {})).headers["x-credits-remaining"]).toBe("9999");
});

test("HTTP/1.0 requires no Host, and an unknown Expect header does not empty the response", async () => {
  const { restFree } = await start();
  for (const request of [
    "GET /networks HTTP/1.0\r\n\r\n",
    "GET /networks HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\nconnection: close\r\n\r\n",
  ])
    expect(await sendBytes(restFree, request)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"ethereum"/u);
});

test("an unread request body does not block the connection", async () => {
  const { restFree } = await start();
  const status = await new Promise((resolve, reject) => {
    const request = http.request(`${restFree}/networks`, { method: "POST" }, (response) =>
      response.resume().on("end", () => resolve(response.statusCode)),
    );
    request.on("error", reject);
    request.end("x".repeat(300_000));
  });
  expect(status).toBe(405);
});

test("two sandboxes with the same seed and time return the same responses", async () => {
  const [first, second] = [await start({ seed: 7 }), await start({ seed: 7 })];
  const path = "/networks/tempo/pools/search?limit=20";
  const texts = await Promise.all(
    [first, second].map(async (each) => (await exchange(each.restFree, path, {})).text),
  );
  expect(texts[0]).toBe(texts[1]);
  const other = await exchange((await start({ seed: 8 })).restFree, path, {});
  expect(other.text).not.toBe(texts[0]);
});
