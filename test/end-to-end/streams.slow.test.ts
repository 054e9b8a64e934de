import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { catchesHangUp, ended, start } from "../harness/binary.ts";
import { inTime } from "../harness/in-time.ts";
import {
  endless,
  hang,
  json,
  type Reply,
  type ScriptedServer,
  type SeenRequest,
  slow,
} from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

let server: ScriptedServer;

const headers = { "content-type": "text/event-stream" };
const event = 'event: token_price\ndata: {"p":"1","chain":"ethereum"}\nrequest_id: 0\n\n';
const pause = async (milliseconds: number): Promise<void> =>
  await new Promise((resolve) => setTimeout(resolve, milliseconds));

type StreamScript = (request: SeenRequest, index: number) => Reply;

async function serve(script: StreamScript): Promise<Record<string, string>> {
  server = await serveInTest(script);
  return envOf(server.url);
}

const envOf = (url: string) => ({
  DEXDATA_STREAMING_URL: url,
  DEXDATA_STREAMING_PRO_URL: url,
  DEXDATA_BASE_URL: url,
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

const words = ["stream", "ethereum:0x0000000000000000000000000000000000000abc", "--error-format", "text"];

describe("Ctrl-C ends the stream within a second in every state", () => {
  const states: readonly (readonly [string, StreamScript, number])[] = [
    ["while connecting", () => hang(), 1],
    ["on a quiet stream", () => slow({ headers, chunks: [], stayOpen: true }), 1],
    [
      "on a stream with events",
      () => slow({ headers, chunks: Array.from({ length: 999 }, () => event), everyMs: 5 }),
      1,
    ],
    ["while waiting to reconnect", () => json({ message: "no" }, { status: 503 }), 2],
  ];
  test.each(states)("%s", async (_, script, requests) => {
    const signals = [
      ["SIGHUP", 129],
      ["SIGINT", 130],
      ["SIGQUIT", 131],
      ["SIGTERM", 143],
    ] as const;
    const runs = signals.map(async ([signal, exit]) => {
      const own = await serveInTest(script);
      const child = start(words, envOf(own.url));
      const ending = ended(child);
      await until(() => own.requests.length >= requests);
      await pause(200);
      child.kill(signal);
      const outcome = await inTime(1000, ending);
      expect(outcome.exit).toBe(exit);
      const lines = outcome.stdout.toString("utf8");
      expect(lines === "" || lines.endsWith("}\n")).toBe(true);
    });
    await Promise.all(runs);
  });

  test("while the reader of its pipe is blocked", async () => {
    const env = await serve(() => endless(event.repeat(500), { headers }));
    const child = start(words, env);
    child.stdout.pause();
    await until(() => server.requests.length === 1);
    await pause(800);
    child.kill("SIGINT");
    expect(await inTime(1000, new Promise((resolve) => child.once("exit", resolve)))).toBe(130);
    child.stdout.destroy();
  });
});

describe("a reader that does not read does not delay the end of a run", () => {
  test.each([
    // Long enough for a busy machine to open the stream. Lines that the reader did not accept make the run incomplete.
    ["stdout, --for", ["--for", "3s"], undefined, 8],
    ["stdout and stderr, --for", ["--for", "3s", "-vv"], undefined, 8],
    ["stdout and stderr, SIGTERM", ["-vv"], "SIGTERM", 143],
  ] as const)("%s", async (_, more, signal, exit) => {
    const noise = 'event: warning\ndata: {"message":"w"}\n\nevent: what-NUMBER\ndata: {}\n\n';
    let count = 0;
    const some = (): string => noise.replace("NUMBER", `${(count += 1)}${"x".repeat(4000)}`);
    const env = await serve(() =>
      slow({
        headers,
        chunks: Array.from({ length: 300 }, () => (more.length === 2 ? "" : some()) + event.repeat(500)),
        stayOpen: true,
      }),
    );
    const child = start([...words, ...more], env);
    child.stdout.pause();
    child.stderr.pause();
    await until(() => server.requests.length > 0);
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await pause(1000);
    if (signal !== undefined) child.kill(signal);
    expect(await inTime(signal === undefined ? 4300 : 2500, exited)).toBe(exit);
    child.stdout.destroy();
    child.stderr.destroy();
  });
});

test("an unread stderr does not delay the end of a failed run", async () => {
  const kinds = Array.from({ length: 900 }, (_, index) => `event: ${index}${"x".repeat(1000)}\ndata: {}\n\n`);
  const env = await serve(() => slow({ headers, chunks: kinds, stayOpen: true }));
  const child = start([...words, "--idle-exit", "1s"], env);
  child.stdout.resume();
  child.stderr.pause();
  expect(await inTime(5000, new Promise((resolve) => child.once("exit", resolve)))).toBe(8);
  child.stderr.destroy();
});

describe("back-pressure", () => {
  test("a reader blocked under a flood: memory stays below 400 MB, and no events are lost", async () => {
    const env = await serve(() => endless(event.repeat(500), { headers }));
    const child = start([...words, "--limit", "300000"], env);
    child.stdout.pause();
    let most = 0;
    for (let times = 0; times < 40; times += 1) {
      await pause(100);
      most = Math.max(most, residentMegabytes(child.pid ?? 0));
    }
    const ending = ended(child);
    child.stdout.resume();
    const { exit, stdout, stderr } = await ending;
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout.toString("latin1").split("\n").length).toBe(300_001);
    expect(most).toBeLessThan(400);
  });

  test("`head -1`: exit 0, an empty stderr, and the connection is closed", async () => {
    const env = await serve(() =>
      slow({ headers, chunks: Array.from({ length: 2000 }, () => event), everyMs: 5 }),
    );
    const child = start(words, env);
    const ending = ended(child);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.stdout.destroy();
    const { exit, stderr } = await inTime(1000, ending);
    expect([exit, stderr]).toEqual([0, ""]);
    await until(() => server.openRequests() === 0);
  });
});

test("rule 161: the server sees waits of 1, 2, 4 and 8 s; an event on a connection that ends at once resets --max-reconnects only", async () => {
  const env = await serve((_, index) => slow({ headers, chunks: index === 3 ? [event] : [] }));
  const child = start([...words, "--max-reconnects", "3"], env);
  await until(() => server.requests.length === 5);
  child.kill("SIGTERM");
  await ended(child);
  const times = server.requests.map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  for (const [index, least] of [1000, 2000, 4000, 8000].entries()) {
    expect(gaps[index]).toBeGreaterThanOrEqual(least - 2);
    expect(gaps[index]).toBeLessThan(least * 1.5 + 400);
  }
});

test("SIGHUP reloads the asset file, and ends a stream without one", async () => {
  const env = await serve(() => slow({ headers, chunks: [event], stayOpen: true }));
  const list = path.join(temporaryFolder(), "assets");
  writeFileSync(list, "ethereum:0x0000000000000000000000000000000000000001\n");
  const child = start(["stream", `@${list}`, "--error-format", "text"], env);
  const ending = ended(child);
  await until(() => server.requests.length === 1);
  await pause(200);
  writeFileSync(
    list,
    "ethereum:0x0000000000000000000000000000000000000001\nethereum:0x0000000000000000000000000000000000000002\n",
  );
  child.kill("SIGHUP");
  // The new asset is tried alone first.
  await until(() => server.requests.length === 3);
  child.kill("SIGTERM");
  const { exit, stderr } = await ending;
  expect(exit).toBe(143);
  expect(stderr).toContain("asset list reloaded: 2 assets");
  const without = start(words, env);
  const over = ended(without);
  await until(() => server.requests.length === 4);
  without.kill("SIGHUP");
  expect((await over).exit).toBe(129);
});

test("a SIGHUP before the list is first read is remembered, and does not end the stream", async () => {
  const env = await serve(() => slow({ headers, chunks: [event], stayOpen: true }));
  const list = path.join(temporaryFolder(), "early");
  execFileSync("mkfifo", [list]);
  const child = start(["stream", `@${list}`, "--error-format", "text"], env);
  const ending = ended(child);
  await until(() => catchesHangUp(child.pid ?? 0));
  child.kill("SIGHUP");
  const writer = await open(list, "w");
  rmSync(list);
  writeFileSync(
    list,
    "ethereum:0x0000000000000000000000000000000000000001\nethereum:0x0000000000000000000000000000000000000002\n",
  );
  await writer.writeFile("ethereum:0x0000000000000000000000000000000000000001\n");
  await writer.close();
  await until(
    () => server.requests.at(-1)?.body.includes("0x0000000000000000000000000000000000000002") === true,
  );
  child.kill("SIGTERM");
  const { exit, stderr } = await ending;
  expect(exit).toBe(143);
  expect(stderr).toContain("asset list reloaded: 2 assets");
});

test("a hundred connections print nothing on stderr", async () => {
  const env = await serve(() =>
    slow({ headers, chunks: [event.replaceAll("token_price", "pool")], stayOpen: true }),
  );
  const assets = Array.from({ length: 100 }, (_, index) => `base:0x${String(index).padStart(40, "0")}`);
  const child = start(["stream", ...assets, "--feed", "transactions", "--limit", "100"], {
    ...env,
    DEXDATA_API_KEY: "api_pro_1",
    DEXDATA_TIER: "pro",
  });
  const { exit, stderr, stdout } = await ended(child);
  expect([exit, stderr]).toEqual([0, ""]);
  expect(stdout.toString("utf8").split("\n").length).toBe(101);
  expect(server.requests.length).toBe(100);
});

function residentMegabytes(pid: number): number {
  const pages = /VmRSS:\s+(?<kb>\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.groups?.["kb"];
  return Number(pages) / 1024;
}

test("`--sandbox`: three prices within seconds, from a market at 60 times real speed", async () => {
  const child = start([
    "stream",
    "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    "--sandbox",
    "--limit",
    "3",
  ]);
  const { exit, stdout, stderr } = await inTime(8000, ended(child));
  expect([exit, stderr]).toEqual([0, ""]);
  expect(stdout.toString("utf8").trim().split("\n").length).toBe(3);
});
