import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { type Outcome, run } from "../harness/dexdata.ts";
import {
  bytes,
  endless,
  hang,
  json,
  raw,
  type Reply,
  type ScriptedServer,
  slow,
} from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";

const children: ChildProcess[] = [];
const sockets: net.Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** The first run loads undici, which is slow on a busy machine. */
const soon = { timeout: 15_000 };

/** Its clock advances only when the test advances it, so a slow machine changes nothing. */
function contextFor(url: string): TestContext {
  return createTestContext({ env: { DEXDATA_BASE_URL: url }, speed: 0.001 });
}

async function serve(reply: Reply | (() => Reply | Promise<Reply>)): Promise<ScriptedServer> {
  return await serveInTest(typeof reply === "function" ? reply : () => reply);
}

const words = (flags: string): string[] => ["networks", ...flags.split(" "), "--error-format", "text"];

/** Matches the final message; `action` timed out. */
const late = (seconds: number, action = "request"): unknown =>
  expect.stringMatching(
    new RegExp(
      `^error: ${action} to 127\\.0\\.0\\.1:\\d+ timed out after ${seconds}s\\n {2}hint: try again, or raise --timeout\\n$`,
      "u",
    ),
  );

/** Long enough for bytes on loopback to arrive; if they do not, the test proves less but does not fail. */
const settle = async (): Promise<void> =>
  await new Promise((resolve) => {
    setTimeout(resolve, 40);
  });

describe("--timeout", () => {
  test("ends a request that never connects", async () => {
    const port = await startDeafServer();
    const before = openSockets();
    const context = contextFor(`http://127.0.0.1:${port}`);
    const running = run(words("--timeout 30s --retries 0"), context);
    await expect.poll(context.clock.pending, soon).toBe(1);
    await settle();
    context.clock.advance(30_000);
    expect(await running).toMatchObject({ exit: 7, stdout: "", stderr: late(30, "connecting") });
    await expect.poll(openSockets, soon).toBeLessThanOrEqual(before);
  });

  test("does not delay an interrupt while connecting", async () => {
    const port = await startDeafServer();
    const before = openSockets();
    const context = contextFor(`http://127.0.0.1:${port}`);
    const running = run(words("--timeout 30s"), context);
    await expect.poll(context.clock.pending, soon).toBe(1);
    await settle();
    context.interrupt({ cause: "SIGINT" });
    expect(await running).toMatchObject({ exit: 130, stdout: "", stderr: "" });
    await expect.poll(openSockets, soon).toBeLessThanOrEqual(before);
  });

  test("ends a request without a response, and closes its connection", async () => {
    const { url, openRequests } = await serve(hang());
    const context = contextFor(url);
    const running = run(words("--timeout 30s --retries 0"), context);
    await expect.poll(openRequests, soon).toBe(1);
    context.clock.advance(29_999);
    await settle();
    expect(openRequests()).toBe(1);
    context.clock.advance(1);
    expect(await running).toMatchObject({ exit: 7, stdout: "", stderr: late(30) });
    await expect.poll(openRequests, soon).toBe(0);
  });

  test("is one deadline for receiving the headers and the body", async () => {
    let sendHeaders = (): void => undefined;
    const headers = new Promise<void>((resolve) => {
      sendHeaders = resolve;
    });
    const { url, openRequests } = await serve(async () => {
      await headers;
      return slow({ chunks: ['[{"id":"eth'], stayOpen: true });
    });
    const context = contextFor(url);
    const running = run(words("--timeout 30s --retries 0"), context);
    await expect.poll(openRequests, soon).toBe(1);
    context.clock.advance(20_000);
    sendHeaders();
    await settle();
    context.clock.advance(9999);
    await settle();
    expect(openRequests()).toBe(1);
    context.clock.advance(1);
    expect(await running).toMatchObject({ exit: 7, stdout: "", stderr: late(30) });
  });

  test("does not restart with each byte received", async () => {
    const reply = slow({ chunks: Array.from({ length: 200 }, () => " "), everyMs: 5, stayOpen: true });
    const { url, openRequests } = await serve(reply);
    const context = contextFor(url);
    const running = run(words("--timeout 30s --retries 0"), context);
    await expect.poll(openRequests, soon).toBe(1);
    for (let second = 0; second < 30; second += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 6);
      });
      context.clock.advance(1000);
    }
    expect(await running).toMatchObject({ exit: 7, stdout: "", stderr: late(30) });
  });

  test("starts over for each request: a retry has the full timeout", async () => {
    const { url, requests } = await serve(hang());
    const context = contextFor(url);
    const running = run(words("--timeout 30s --retries 1"), context);
    await expect.poll(() => requests.length, soon).toBe(1);
    context.clock.advance(30_000);
    await expect.poll(() => context.clock.asked, soon).toEqual([30_000, 1000]);
    context.clock.advance(1000);
    await expect.poll(() => requests.length, soon).toBe(2);
    context.clock.advance(29_999);
    await settle();
    expect(context.stderrText()).toBe("");
    context.clock.advance(1);
    expect(await running).toMatchObject({ exit: 7, stderr: late(30) });
  });

  test("leaves no timer behind after a response", async () => {
    const { url } = await serve(json("[]"));
    const context = contextFor(url);
    expect(await run(words("--timeout 30s --deadline 1h"), context)).toMatchObject({ exit: 0, stderr: "" });
    expect(context.clock.pending()).toBe(0);
  });
});

describe("--deadline", () => {
  test("ends the run in the middle of a page, and keeps the rows before it", async () => {
    const page = json({
      results: [{ id: "0xa", chain: "ethereum" }],
      has_next_page: true,
      next_cursor: "two",
    });
    const { url, requests } = await serveInTest((_request, index) => (index === 0 ? page : hang()));
    const context = contextFor(url);
    const argv =
      "pools search ethereum --all --page-size 1 --deadline 90s --timeout 1h --error-format text".split(" ");
    const running = run(argv, context);
    await expect.poll(() => requests.length, soon).toBe(2);
    context.clock.advance(90_000);
    expect(await running).toMatchObject({ exit: 7, stdout: '{"id":"0xa","chain":"ethereum"}\n' });
    expect(context.stderrText()).toContain("error: --deadline of 1m30s reached; 1 row written\n");
    expect({ requests: requests.length, asleep: context.clock.pending() }).toEqual({
      requests: 2,
      asleep: 0,
    });
  });
});

const tooLarge = /the response from 127\.0\.0\.1:\d+ is larger than 32 MiB/u;
const MiB = 1024 * 1024;

/** Runs once and returns the peak memory use in bytes above the start. */
async function weigh(url: string): Promise<{ exit: number; stderr: string; stdout: string; grown: number }> {
  const before = process.memoryUsage().rss;
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 2);
  try {
    const context = createTestContext({ env: { DEXDATA_BASE_URL: url } });
    const { exit, stderr, stdout } = await run(words("--timeout 20h"), context);
    return { exit, stderr, stdout, grown: Math.max(highest, process.memoryUsage().rss) - before };
  } finally {
    clearInterval(timer);
  }
}

describe("promise 5: a body of any size", () => {
  test("an endless body is abandoned at 32 MiB, once, and its connection closed", async () => {
    const { url, requests, openRequests } = await serve(endless("[".padEnd(MiB)));
    const { exit, stdout, stderr, grown } = await weigh(url);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toMatch(tooLarge);
    expect(grown).toBeLessThan(300 * MiB);
    expect(requests.length).toBe(1);
    await expect.poll(openRequests, soon).toBe(0);
  });

  test("a body of exactly 32 MiB is read, a larger one is not", async () => {
    for (const [size, exit] of [
      [32 * MiB, 0],
      [32 * MiB + 1, 1],
    ] as const) {
      const { url } = await serve(json("[]".padEnd(size)));
      expect((await weigh(url)).exit).toBe(exit);
    }
  });

  test("a small gzip response that expands to 1 GiB is rejected before it does", async () => {
    // A gzip file may have several members (RFC 1952, 2.2), which makes a bomb quickly.
    const part = gzipSync(Buffer.alloc(8 * MiB, " "), { level: 1 });
    const bomb = Buffer.concat(Array.from({ length: 128 }, () => part));
    expect(bomb.length).toBeLessThan(8 * MiB);
    const { url, requests } = await serve(bytes(bomb, { "content-encoding": "gzip" }));
    const { exit, stderr, grown } = await weigh(url);
    expect(exit).toBe(1);
    expect(stderr).toMatch(tooLarge);
    expect(grown).toBeLessThan(300 * MiB);
    expect(requests.length).toBe(1);
  });

  test("endless headers are rejected", async () => {
    const { url, requests } = await serve(raw([`HTTP/1.1 200 OK\r\nx: ${"a".repeat(100 * 1024)}\r\n\r\n[]`]));
    const context = createTestContext({ env: { DEXDATA_BASE_URL: url } });
    const { exit, stderr } = await run(words("--retries 4"), context);
    expect({ exit, requests: requests.length }).toEqual({ exit: 1, requests: 1 });
    expect(stderr).toMatch(/^error: the response headers from \S+ are too large\n/u);
  });

  test("a response that is not HTTP is rejected and not retried", async () => {
    const { url, requests } = await serve(raw(["SSH-2.0-OpenSSH_9.2\r\n"]));
    const context = createTestContext({ env: { DEXDATA_BASE_URL: url } });
    const { exit, stderr } = await run(words("--retries 4"), context);
    expect({ exit, requests: requests.length }).toEqual({ exit: 1, requests: 1 });
    expect(stderr).toMatch(/^error: \S+ did not send an HTTP response\n/u);
  });
});

describe("content-encoding", () => {
  const row = '[{"id":"ethereum"}]';
  const printed = '{"id":"ethereum"}\n';
  const zipped = gzipSync(row);

  async function ask(body: Uint8Array, encoding: string): Promise<Outcome & { accepted: unknown }> {
    const { url, requests } = await serve(bytes(body, { "content-encoding": encoding }));
    const outcome = await run(words("--timeout 20h"), createTestContext({ env: { DEXDATA_BASE_URL: url } }));
    return { ...outcome, accepted: requests[0]?.headers["accept-encoding"] };
  }

  test("gzip is requested and decoded", async () => {
    const said = { exit: 0, stdout: printed, stderr: "" };
    expect(await ask(zipped, "gzip")).toMatchObject({ ...said, accepted: "gzip" });
  });

  test.each(["GZip", "x-gzip"])("%s is decoded as well", async (encoding) => {
    expect(await ask(zipped, encoding)).toMatchObject({ exit: 0, stdout: printed, stderr: "" });
  });

  test.each(["identity", "Identity", "", " ", ","])("%j is not a coding", async (encoding) => {
    expect(await ask(Buffer.from(row), encoding)).toMatchObject({ exit: 0, stdout: printed, stderr: "" });
  });

  test.each(["br", "deflate", "zstd", "gzip, gzip"])(
    "%s was not requested and is rejected",
    async (encoding) => {
      const { exit, stdout, stderr } = await ask(gzipSync(zipped), encoding);
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
      expect(stderr).toContain(`unexpected content-encoding ${encoding} from`);
    },
  );

  test("only one layer is decoded", async () => {
    expect((await ask(gzipSync(zipped), "gzip")).exit).toBe(1);
  });

  test.each([
    ["cut short", zipped.subarray(0, zipped.length - 4)],
    ["of other bytes", Buffer.from(row)],
    ["with a wrong sum", Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)])],
  ])("a gzip body %s is corrupt", async (_, body) => {
    const { exit, stdout, stderr } = await ask(body, "gzip");
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toMatch(/^error: invalid response: corrupt gzip data from 127\.0\.0\.1:\d+\n/u);
  });
});

/** Counts the sockets of this process, connected or connecting. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith("TCPSocket")).length;
}

/**
 * Starts a port that listens and accepts no connection: its process is stopped and its queue is full, so another
 * connection gets no response at all.
 */
async function startDeafServer(): Promise<number> {
  const script =
    'const s = require("net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {' +
    'require("fs").writeSync(1, String(s.address().port)); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });';
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [chunk]: unknown[] = await once(child.stdout, "data");
  const port = Number(String(chunk));
  for (let taken = 0; taken < 6; taken += 1) {
    const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
    sockets.push(socket);
    await Promise.race([once(socket, "connect"), settle()]);
  }
  // Otherwise the test below would only see a missing response, like the test after it.
  if (sockets.at(-1)?.connecting !== true) throw new Error("the deaf server takes connections after all");
  return port;
}
