import { readFileSync } from "node:fs";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { checkAssumptions, judgeAlone, readAssumptions } from "./check-assumptions.ts";
import { checks } from "./checks.ts";
import { type Deviation, deviations } from "./planted-deviations.ts";
import type { Run } from "./service.ts";

const started = performance.now();
/** As fast as the clock of the sandbox, or the program would take every connection for silent. */
const speed = 60;
/** Sleeps of the program pass as much faster. */
const patient = (words: readonly string[]): readonly string[] =>
  words.map((word) => (/^[36]0s$/u.test(word) ? "24h" : word));

const page = readFileSync("docs/assumptions.md", "utf8");

test("each check belongs to one line of the page, and each deviation to one check", () => {
  const lines = readAssumptions(page);
  expect(lines.length).toBeGreaterThan(35);
  for (const { assumption } of checks)
    expect([assumption, lines.filter((line) => line.startsWith(assumption)).length]).toEqual([assumption, 1]);
  for (const { assumption } of deviations)
    expect([assumption, checks.filter((check) => check.assumption.startsWith(assumption)).length]).toEqual([
      assumption,
      1,
    ]);
  expect(deviations.length).toBeGreaterThanOrEqual(20);
});

describe.each(["spec", "public"] as const)("the live check against the sandbox, dialect %s", (dialect) => {
  const sandbox = useSandbox({
    dialect,
    requestsPerMinute: Number.POSITIVE_INFINITY,
    // Events arrive within a second.
    now: () => sandboxNow + Math.floor((performance.now() - started) * speed),
  });
  let deviation: Deviation | undefined;
  let turn = 0;
  let servers: readonly http.Server[] = [];
  let run: Run;

  beforeAll(async () => {
    const { restPaid, streamPaid } = sandbox.running();
    const proxies = [restPaid, streamPaid].map((target) =>
      http.createServer((request, response) => {
        forward(target, request, response).catch(() => response.destroy());
      }),
    );
    servers = proxies;
    const [rest, stream] = await Promise.all(proxies.map(listen));
    const env = {
      ...sandbox.env("pro"),
      DEXDATA_PRO_BASE_URL: rest ?? "",
      DEXDATA_STREAMING_PRO_URL: stream ?? "",
    };
    run = async (words) =>
      await dexdata(patient(words), { env: { ...env, DEXDATA_RPM: "unlimited" }, speed });
  });
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function forward(
    target: string,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const asked = request.url ?? "/";
    const { hostname, port } = new URL(target);
    const headers = { ...request.headers, host: `${hostname}:${port}`, "accept-encoding": "identity" };
    if (request.method === "POST" && deviation?.refusesPost === true) {
      request.resume();
      response.writeHead(405, { "content-type": "application/json" }).end('{"message":"method not allowed"}');
      return;
    }
    const message = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const passed = http.request(
        { hostname, port, path: deviation?.url?.(asked) ?? asked, method: request.method ?? "GET", headers },
        resolve,
      );
      passed.once("error", reject);
      request.pipe(passed);
    });
    const sent = Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    );
    for (const name of ["content-length", "transfer-encoding", "connection", "keep-alive"]) delete sent[name];
    if (sent["content-type"]?.startsWith("text/event-stream") === true) {
      response.writeHead(message.statusCode ?? 500, sent);
      message.on("data", (chunk: Buffer) => {
        const text = chunk.toString("utf8");
        response.write(deviation?.stream?.(text) ?? text);
      });
      message.once("close", () => response.end());
      response.once("close", () => message.destroy());
      return;
    }
    turn += 1;
    const answer = {
      status: message.statusCode ?? 500,
      headers: sent,
      body: (await buffer(message)).toString("utf8"),
    };
    const changed = deviation?.answer?.(answer, new URL(asked, target), turn) ?? answer;
    for (const [name, value] of Object.entries(changed.headers))
      if (value !== undefined) response.setHeader(name, value);
    if (changed.headers["date"] !== undefined) response.sendDate = false;
    response.statusCode = changed.status;
    response.end(changed.body);
  }

  test("no assumption seems wrong, most can be seen, and it costs at most 60 credits", async () => {
    deviation = undefined;
    sandbox.takeLog();
    const verdicts = new Map<string, string[]>();
    for await (const { assumption, verdict } of checkAssumptions(page, run))
      verdicts.set(verdict, [...(verdicts.get(verdict) ?? []), assumption]);
    expect(verdicts.get("does not hold") ?? []).toEqual([]);
    expect(verdicts.get("holds")?.length).toBe(checks.length);
    expect(sandbox.takeLog().length).toBeLessThanOrEqual(55);
  });

  test.each(deviations)("finds: $assumption", async (planted) => {
    deviation = planted;
    turn = 0;
    const check = checks.find(({ assumption }) => assumption.startsWith(planted.assumption));
    if (check === undefined) throw new Error("no such check");
    expect(await judgeAlone(check, run)).toBe("does not hold");
  });

  test("a plan that may not see a list contradicts nothing", async () => {
    deviation = undefined;
    const keyless: Run = async (words) =>
      await dexdata(patient(words), { env: sandbox.env("keyless"), speed });
    const seen: string[] = [];
    for (const check of checks) seen.push(`${await judgeAlone(check, keyless)}: ${check.assumption}`);
    expect(seen.filter((each) => each.startsWith("does not hold"))).toEqual([]);
    expect(seen.filter((each) => each.startsWith("could not be seen")).length).toBeGreaterThan(5);
  });
});

describe("at many times", () => {
  let now = sandboxNow;
  const sandbox = useSandbox({
    dialect: "public",
    requestsPerMinute: Number.POSITIVE_INFINITY,
    now: () => now,
  });

  test("the check of cursors holds, also if two transactions have the same time", async () => {
    const check = checks.find(({ assumption }) => assumption.startsWith("after page 100"));
    if (check === undefined) throw new Error("no such check");
    const run: Run = async (words) => await dexdata(words, { env: sandbox.env("pro"), now });
    for (let minutes = 0; minutes < 30; minutes += 1) {
      now = sandboxNow - minutes * 60_000;
      expect([minutes, await judgeAlone(check, run)]).toEqual([minutes, "holds"]);
    }
  });
});

async function listen(server: http.Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}
