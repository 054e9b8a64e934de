import { expect, test } from "vitest";
import type { StreamNotice } from "../../src/library/public-types.ts";
import { hang, json, raw, type Script, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { failureOf, openLibrary } from "./open-library.ts";

let server: ScriptedServer;

async function serve(script: Script): Promise<string> {
  server = await serveInTest(script);
  return server.url;
}

const assets = [{ network: "ethereum", address: "0x0000000000000000000000000000000000000abc" }];
const event = (price: string): string =>
  `event: token_price\ndata: {"address":"0x0000000000000000000000000000000000000abc","chain":"ethereum","price":"${price}","timestamp":1}\n\n`;
const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

test("yields events as they arrive, and closes the connection when the loop ends", async () => {
  const streamingUrl = await serve(() =>
    raw([head, event("1.10"), event("2"), event("3")], { stayOpen: true }),
  );
  const client = openLibrary({ streamingUrl });
  const seen: unknown[] = [];
  for await (const { event: name, asset, data, text } of client.stream({ feed: "prices", assets })) {
    seen.push({ name, asset, data, text });
    if (seen.length === 2) break;
  }
  const text =
    '{"address":"0x0000000000000000000000000000000000000abc","chain":"ethereum","price":"1.10","timestamp":1}';
  expect(seen[0]).toEqual({ name: "token_price", asset: assets[0], data: JSON.parse(text), text });
  while (server.openRequests() !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(server.requests.map(({ url }) => url)).toEqual([
    "/sse/prices?method=token_price&chain=ethereum&address=0x0000000000000000000000000000000000000abc",
  ]);
});

test("continues after an interruption, and reports the gap", async () => {
  const streamingUrl = await serve((_request, index) =>
    raw([head, event(String(index)), 'event: warning\ndata: {"message":"slow"}\n\n']),
  );
  const notices: StreamNotice[] = [];
  const client = openLibrary({ streamingUrl });
  let events = 0;
  for await (const _ of client.stream({
    feed: "prices",
    assets,
    onNotice: (notice) => notices.push(notice),
  })) {
    events += 1;
    if (events === 2) break;
  }
  const reason = "the service ended the stream";
  expect(notices).toMatchObject([
    { kind: "open", assets },
    { kind: "warning", assets, text: "slow" },
    { kind: "retry", assets, reason },
    { kind: "gap", assets, reason, from: expect.any(Date), to: expect.any(Date) },
    { kind: "warning", assets, text: "slow" },
  ]);
});

test("a permanent rejection ends it with a Failure; so does running out of credits", async () => {
  const refusing = await serve(() => json({ error: "plan_required", required_tier: "dev" }, { status: 403 }));
  const take = async (
    client: ReturnType<typeof openLibrary>,
    feed: "prices" | "transactions",
  ): Promise<void> => {
    for await (const _ of client.stream({ feed, assets })) void _;
  };
  expect(
    await failureOf(async () => await take(openLibrary({ streamingUrl: refusing }), "transactions")),
  ).toMatchObject({
    status: 403,
    code: "plan_required",
  });
  const streamingUrl = await serve(() => raw([head, event("1"), event("2"), event("3")], { stayOpen: true }));
  expect(
    await failureOf(async () => await take(openLibrary({ streamingUrl, maxCredits: 2 }), "prices")),
  ).toMatchObject({
    code: "max_credits",
  });
});

const states: readonly (readonly [string, Script, number])[] = [
  ["is quiet", () => raw([head], { stayOpen: true }), 1],
  ["is being opened", () => hang(), 1],
  ["waits to reconnect", () => raw([head]), 2],
];
test.each(states)(
  "R13: return() of a stream that %s settles, and so does next()",
  async (_, script, requests) => {
    const client = openLibrary({ streamingUrl: await serve(script) });
    const iterator = client.stream({ feed: "prices", assets })[Symbol.asyncIterator]();
    const next = iterator.next();
    while (server.requests.length < requests) await new Promise(setImmediate);
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    while (server.openRequests() !== 0) await new Promise(setImmediate);
  },
);

test("return() of a stream that was never read sends nothing", async () => {
  const client = openLibrary({ streamingUrl: await serve(() => hang()) });
  const iterator = client.stream({ feed: "prices", assets })[Symbol.asyncIterator]();
  expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  expect(server.requests).toEqual([]);
});

test("R14: an event larger than 1 MiB is a notice, and the stream continues", async () => {
  const streamingUrl = await serve(() =>
    raw([head, event("1".repeat(1024 * 1024)), event("2")], { stayOpen: true }),
  );
  const notices: StreamNotice[] = [];
  const client = openLibrary({ streamingUrl });
  const asked = {
    feed: "prices",
    assets,
    onNotice: (notice: StreamNotice) => void notices.push(notice),
  } as const;
  for await (const { data } of client.stream(asked)) {
    expect(data).toMatchObject({ price: "2" });
    break;
  }
  expect(notices).toEqual([
    { kind: "open", assets },
    { kind: "lost", assets, reason: "larger than 1 MiB" },
  ]);
  expect(server.requests.length).toBe(1);
});
