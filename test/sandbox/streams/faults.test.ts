import { expect, test } from "vitest";
import { parseFaults } from "../../harness/bundled-sandbox.ts";
import type { Faults } from "../../../src/sandbox/fault-kinds.ts";
import type { ReceivedRequest } from "../../../src/sandbox/received-request.ts";
import { headerOf, rawRequest, statusOf } from "../raw-request.ts";
import { poolTrades, PRO, refusalOf, serve } from "./stream-client.ts";

function faultsOf(spec: string): Faults {
  const faults = parseFaults(spec);
  return faults;
}

test("stream-cut: the connection closes after this many events; the next stream is normal", async () => {
  const { open, pass } = await serve({ faults: faultsOf("stream-cut=2x1") });
  const stream = await open(poolTrades);
  pass(600);
  await stream.ended;
  expect([stream.events().length, stream.response.complete]).toEqual([2, false]);
  const next = await open(poolTrades);
  pass(600);
  expect((await next.until(4)).length).toBeGreaterThan(3);
});

test("pings do not count as events", async () => {
  const { open, pass, clock } = await serve({ faults: faultsOf("stream-error=1") });
  const stream = await open(poolTrades);
  for (let pings = 1; pings <= 2; pings += 1) {
    clock.elapsed += 15_000;
    await stream.pinged(pings);
  }
  pass(600);
  await stream.ended;
  expect(stream.frames().map(({ event }) => event)).toEqual(["ping", "ping", "pool", "error"]);
});

test("stream-cut=0: the stream opens and closes immediately", async () => {
  const { open } = await serve({ faults: faultsOf("stream-cut=0") });
  const stream = await open(poolTrades);
  await stream.ended;
  expect([stream.status, stream.text()]).toEqual([200, ""]);
});

test("82: stream-error: an `error` event with a message, then the stream ends normally", async () => {
  const { open, pass } = await serve({ faults: faultsOf("stream-error=1") });
  const stream = await open(poolTrades);
  pass(600);
  await stream.ended;
  const [first, second, ...more] = stream.events();
  expect([first?.requestId, second?.event, more]).toEqual(["0", "error", []]);
  expect(second?.data).toEqual({ message: expect.any(String) });
  expect(stream.response.complete).toBe(true);
});

test("stream-silent: connected, then neither events nor pings", async () => {
  const { open, pass, clock } = await serve({ faults: faultsOf("stream-silent=1@1") });
  const silent = await open(poolTrades);
  const sound = await open(poolTrades, { key: "api_pro_other" });
  pass(600);
  await sound.until(4);
  clock.elapsed += 15_000;
  await sound.pinged(1);
  expect(silent.frames().length).toBe(1);
  expect(silent.response.closed).toBe(false);
});

test("an error instead of a stream costs no credits", async () => {
  const { open, remaining } = await serve({ faults: faultsOf("429x1,400@2/sse,html@3") });
  expect(refusalOf(await open(poolTrades))).toBe("429 rate_limited");
  expect(refusalOf(await open(poolTrades))).toBe("400 invalid_param");
  expect((await open(poolTrades)).text()).toMatch(/^<!DOCTYPE html>/u);
  expect((await open(poolTrades)).status).toBe(200);
  expect(await remaining(PRO)).toBe(4_999_999);
});

test("155: a stream with a different plan, and its fault in the log", async () => {
  const log: ReceivedRequest[] = [];
  const { open } = await serve({
    faults: faultsOf("plan=free,stream-cut=0"),
    log: (request) => log.push(request),
  });
  expect((await open(poolTrades)).headers["x-api-plan"]).toBe("free");
  expect(log.map(({ faults }) => faults)).toEqual([["plan=free", "stream-cut=0"]]);
});

test("a connection lost before and within the head of a stream", async () => {
  const { sandbox } = await serve({ faults: faultsOf("reset-before@1,reset-headers@2,503@3") });
  const ask = async () => await rawRequest(sandbox.streamPaid, poolTrades, { key: PRO });
  // Of some thousand connections that are reset, the system reports one as ended.
  const lost = expect.stringMatching(/^(?:reset|closed)$/u);
  expect(await ask()).toMatchObject({ text: "", ended: lost });
  expect(await ask()).toMatchObject({
    text: expect.stringMatching(/^HTTP\/1\.1 200 /u),
    head: undefined,
    ended: lost,
  });
  const refused = await ask();
  expect([statusOf(refused), headerOf(refused, "x-api-plan")]).toEqual([503, "pro"]);
});
