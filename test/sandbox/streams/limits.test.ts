import net from "node:net";
import { describe, expect, test } from "vitest";
import { inTime } from "../../harness/in-time.ts";
import { tooManyStreams } from "../../../src/sandbox/streams/stream-hub.ts";
import { at, list, NOON } from "../contract/service.ts";
import {
  FREE,
  messageOf,
  type Opened,
  poolTrades,
  PRO,
  refusalOf,
  serve,
  settled,
  type StreamService,
  WETH,
  wethPrice,
} from "./stream-client.ts";

async function openMany(service: StreamService, count: number, key: string | undefined): Promise<Opened[]> {
  const host = key === undefined || key.startsWith("api_free") ? "free" : "paid";
  const opened: Opened[] = [];
  for (let each = 0; each < count; each++) opened.push(await service.open(wethPrice, { key, host }));
  return opened;
}

const callers = [
  ["keyless", undefined],
  ["free", "api_free_caps"],
  ["dev", "api_dev_caps"],
  ["pro", "api_pro_caps"],
  ["enterprise", "api_enterprise_caps"],
] as const;

describe("162: concurrent streams", () => {
  test.each(callers)("spec: the 11th stream of an IP gets 429, %s", async (tier, key) => {
    const service = await serve();
    const statuses = (await openMany(service, 11, key)).map(({ status }) => status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    const host = key === undefined || tier === "free" ? "free" : "paid";
    const refused = await service.open(wethPrice, { key, host });
    expect(JSON.parse(refused.text())).toEqual({
      error: "rate_limited",
      tier,
      message: "ip stream limit exceeded",
      retry_after: 5,
      links: expect.any(Object),
    });
    // Rule 180: the body and the header have the same number.
    expect(refused.headers).toMatchObject({ "x-api-plan": tier, "retry-after": "5" });
  });

  test("spec: keys of one IP share its ten streams, another IP has separate ones", async () => {
    const service = await serve();
    await openMany(service, 6, "api_pro_one");
    const others = await openMany(service, 5, undefined);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    const asking = { key: undefined, host: "free", from: "127.0.0.2" } as const;
    expect((await service.open(wethPrice, asking)).status).toBe(200);
  });

  test("a stream that ends, or whose reader disconnects, frees its slot", async () => {
    const service = await serve();
    const [first] = await openMany(service, 9, PRO);
    const short = await service.open(`${wethPrice}&limit=1`);
    service.pass(100);
    await short.ended;
    expect((await service.open(wethPrice)).status).toBe(200);
    expect((await service.open(wethPrice)).status).toBe(429);
    first?.close();
    await expect.poll(async () => (await service.open(wethPrice)).status).toBe(200);
  });

  test("a rejected stream takes no slot", async () => {
    const service = await serve();
    for (let each = 0; each < 12; each++) await service.open(wethPrice.replace("ethereum", "eth"));
    expect((await service.open(wethPrice)).status).toBe(200);
  });

  test.each([
    ["keyless", undefined, 10],
    ["free", "api_free_caps", 10],
    ["dev", "api_dev_caps", 30],
    ["pro", "api_pro_caps", 100],
  ] as const)("public: by plan, %s", async (tier, key, cap) => {
    const service = await serve({ dialect: "public" });
    const statuses = (await openMany(service, cap + 1, key)).map(({ status }) => status);
    expect(statuses.indexOf(429)).toBe(cap);
    const host = key === undefined || tier === "free" ? "free" : "paid";
    const refused = await service.open(wethPrice, { key, host });
    expect(messageOf(refused)).toBe(
      "Concurrent stream limit reached for your plan. Close an open stream before starting another.",
    );
    expect(refused.headers).not.toHaveProperty("retry-after");
    if (key === undefined) return;
    const other = await service.open(wethPrice, { key: `${key}_2`, host });
    expect(other.status).toBe(200);
  });
});

test.each(["spec", "public"] as const)("163: the 10,001st stream of the server gets 429, %s", (dialect) => {
  const owners = Array.from({ length: 10_000 }, (_, each) => `127.1.${each % 1000}`);
  const refusal = tooManyStreams(owners, "127.0.0.1", "pro", dialect);
  expect([refusal?.status, refusal?.body["error"], refusal?.body["message"]]).toEqual([
    429,
    "rate_limited",
    "global stream limit exceeded",
  ]);
  expect(refusal?.headers["Retry-After"]).toBe(dialect === "spec" ? "5" : undefined);
  expect(tooManyStreams(owners.slice(1), "127.0.0.1", "pro", dialect)).toBeUndefined();
});

describe("credits", () => {
  test("131: an update costs one credit per asset; opening and pings cost none", async () => {
    const service = await serve();
    const key = "api_dev_updates";
    const before = await service.remaining(key);
    const entry = { chain: "ethereum", address: WETH, method: "token_price" };
    const stream = await service.open("/sse/prices", { key, method: "POST", body: [entry, entry, entry] });
    expect(stream.headers["x-credits-remaining"]).toBe(String(before));
    await settled(service, stream);
    expect(before - (await service.remaining(key))).toBe(1);
    service.pass(300);
    const events = await settled(service, stream);
    expect(events.length).toBeGreaterThan(9);
    expect(before - (await service.remaining(key))).toBe(events.length + 2);
  });

  test("an error before a stream starts costs no credits", async () => {
    const service = await serve();
    const key = "api_dev_refused";
    const before = await service.remaining(key);
    for (const path of [`${wethPrice}0`, "/nothing", "/stream"]) await service.open(path, { key });
    expect(before - (await service.remaining(key))).toBe(1);
  });

  test("160, 188, 189: credits that run out in a stream cause an error, the end, and 402 on reconnect", async () => {
    const service = await serve({ credits: 5 });
    const key = "api_dev_poor";
    const stream = await service.open(wethPrice, { key });
    service.pass(600);
    await stream.ended;
    const events = stream.events();
    expect(events.map(({ event }) => event)).toEqual([
      ...Array.from({ length: 5 }, () => "token_price"),
      "error",
    ]);
    expect(events.at(-1)?.data).toEqual({ message: "credits are used up" });
    expect(events.at(-1)?.lines).toEqual(["event", "data"]);
    const again = await service.open(wethPrice, { key });
    expect([refusalOf(again), again.headers["retry-after"], again.headers["x-credits-remaining"]]).toEqual([
      "402 payment_required",
      undefined,
      "0",
    ]);
  });

  test("211: pro streams continue into overage", async () => {
    const service = await serve({ credits: 5, overageCapUsd: 20 });
    const stream = await service.open(wethPrice, { key: "api_pro_overage" });
    service.pass(600);
    await stream.until(20);
  });

  test("two streams with one key share its credits", async () => {
    const service = await serve({ credits: 7 });
    const [first, second] = await openMany(service, 2, "api_dev_shared");
    service.pass(600);
    await Promise.all([first?.ended, second?.ended]);
    const events = [first, second].flatMap((each) => each?.events() ?? []);
    expect(events.filter(({ event }) => event === "token_price").length).toBe(7);
    expect(events.filter(({ event }) => event === "error").length).toBe(2);
  });
});

describe("limit", () => {
  test("closes the stream after this many data events; pings do not count", async () => {
    const service = await serve();
    const stream = await service.open(`${wethPrice}&limit=3`);
    await settled(service, stream);
    await settled(service, stream);
    service.pass(600);
    await stream.ended;
    expect(stream.frames().map(({ event }) => event)).toEqual([
      "ping",
      "ping",
      "token_price",
      "token_price",
      "token_price",
    ]);
    expect(stream.response.complete).toBe(true);
  });

  test("applies to a batch as a total, from its query", async () => {
    const service = await serve();
    const entry = { chain: "ethereum", address: WETH, method: "token_price" };
    const stream = await service.open("/sse/prices?limit=5", { method: "POST", body: [entry, entry, entry] });
    service.pass(600);
    await stream.ended;
    expect(stream.events().map(({ requestId }) => requestId)).toEqual(["0", "1", "2", "0", "1"]);
  });
});

describe("frames", () => {
  test("pings are sent every 15 s of real time and contain the simulated time", async () => {
    const service = await serve();
    const stream = await service.open(wethPrice);
    service.clock.elapsed += 14_999;
    service.pass(1000);
    await stream.until(3);
    expect(stream.text()).not.toContain("ping");
    service.clock.elapsed += 1;
    await stream.pinged(1);
    const frame = `event: ping\ndata: {"time":${NOON + 1000}}\n\n`;
    expect(stream.text().endsWith(frame)).toBe(true);
  });

  test("159: lines end with LF, data is one line, and a blank line ends a frame", async () => {
    const service = await serve();
    const stream = await service.open(poolTrades);
    service.pass(600);
    await settled(service, stream);
    expect(stream.text()).toMatch(/^(event: (pool|ping)\ndata: \{[^\n]+\}\n(request_id: 0\n)?\n)+$/);
  });
});

test("a reader that does not read gets an error and is disconnected, and uses little memory", async () => {
  const service = await serve({ credits: 1_000_000_000 });
  const key = "api_pro_slow";
  const path = poolTrades.replace("=pool", "=token").replace(/0x88e6\w+/, WETH);
  const slow = await service.open(path, { key });
  const quick = await service.open(wethPrice);
  slow.response.pause();
  const before = process.memoryUsage().rss;
  // An hour of all of WETH's trades is about a megabyte. It ends when charges stop.
  let left = Number.NaN;
  for (let hour = 0; hour < 72; hour++) {
    service.pass(3600);
    await settled(service, quick);
    const remaining = await service.remaining(key);
    // The request itself costs one credit.
    if (remaining === left - 1) break;
    left = remaining;
  }
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(150);
  slow.response.resume();
  await slow.ended;
  expect(slow.events().at(-1)?.data).toEqual({ message: "the stream is read too slowly" });
  expect(slow.text().length).toBeLessThan(16 * 2 ** 20);
  const charged = 1_000_000_000 - left;
  expect(slow.events().length - 1).toBeLessThanOrEqual(charged);
  // The slow reader did not delay the fast one.
  expect(quick.events().length).toBeGreaterThan(100);
}, 60_000);

test("close ends streams at once", async () => {
  const service = await serve();
  const opened = await openMany(service, 10, PRO);
  const { port } = new URL(service.sandbox.streamPaid);
  const idle = net.connect(Number(port), "127.0.0.1");
  idle.on("error", () => undefined);
  await new Promise((resolve) => idle.once("connect", resolve));
  await inTime(500, Promise.all([service.sandbox.close(), ...opened.map(({ ended }) => ended)]));
  await expect(service.open(wethPrice)).rejects.toThrow(/ECONNREFUSED/);
});

test("43, 6: after an hour at speed, streams, transaction pages, candles and prices match exactly", async () => {
  const service = await serve({ dialect: "public" });
  const asset = `chain=ethereum&address=${WETH}`;
  const trades = await service.open(poolTrades);
  const prices = await service.open(wethPrice);
  const candles = await service.open(`/sse/ohlcv?method=token_ohlcv&${asset}&interval=60s`);
  // Uneven steps, among them a jump that takes several turns.
  for (const step of [1, 7, 60, 59, 333, 1140, 2000]) {
    service.pass(step);
    for (const each of [trades, prices, candles]) await settled(service, each);
  }
  // Time for the last candles to be sealed and resent.
  service.pass(100);
  for (const each of [trades, prices, candles]) await settled(service, each);
  const end = NOON + 3600;

  const rows: unknown[] = [];
  const pool = poolTrades.replace(/^.*address=/, "");
  for (let page = 1; ; page++) {
    const path = `/networks/ethereum/pools/${pool}/transactions?from=${NOON + 1}&to=${end + 1}&page=${page}&limit=100`;
    const found = list(await service.rest(path), "transactions");
    rows.push(...found);
    if (found.length < 100) break;
  }
  rows.reverse();
  const streamed = trades
    .events()
    .filter(({ data }) => Date.parse(String(data["block_timestamp"])) <= end * 1000);
  const facts = (hash: string, block: string) => (row: unknown) => [
    at(row, hash),
    Number(at(row, block)),
    at(row, "amount_0"),
    at(row, "amount_1"),
    at(row, "price_0_usd"),
    at(row, "price_1_usd"),
  ];
  expect(streamed.length).toBeGreaterThan(100);
  expect(streamed.map(({ data }) => facts("tx_hash", "block_number")(data))).toEqual(
    rows.map(facts("id", "created_at_block_number")),
  );

  // The pool prices WETH: its last swap of a block is the price streamed at that second and the REST price
  // then.
  const swapPrices = new Map<number, unknown>();
  for (const { data } of streamed) {
    const isSwap = Math.sign(Number(data["amount_0"])) !== Math.sign(Number(data["amount_1"]));
    const time = Date.parse(String(data["block_timestamp"])) / 1000;
    if (isSwap) swapPrices.set(time, data["price_1_usd"]);
  }
  const moved = prices.events().filter(({ data }) => Number(data["timestamp"]) <= end);
  expect(moved.length).toBeGreaterThan(80);
  for (const { data } of moved) {
    const known = swapPrices.get(Number(data["timestamp"]));
    if (known !== undefined) expect(Number(data["price"])).toBe(known);
    expect(swapPrices.has(Number(data["timestamp"]))).toBe(true);
  }

  const ohlcv = `/networks/ethereum/tokens/${WETH}/ohlcv?start=${NOON}&end=${end}&interval=1m&limit=100`;
  const stored = new Map(candles.events().map(({ data }) => [Number(data["timestamp"]), data]));
  const whole = [...stored].filter(([time]) => time >= NOON && time < end).toSorted(([a], [b]) => a - b);
  expect(
    whole.map(([time, { open, high, low, close, volume_usd: volume }]) => [
      `${new Date(time * 1000).toISOString().slice(0, -5)}Z`,
      open,
      high,
      low,
      close,
      Math.round(Number(volume)),
    ]),
  ).toEqual(
    list(await service.rest(ohlcv)).map((row) => [
      at(row, "time_open"),
      at(row, "open"),
      at(row, "high"),
      at(row, "low"),
      at(row, "close"),
      at(row, "volume") ?? 0,
    ]),
  );
}, 60_000);

test("a key on the free host and its 403 do not affect the paid stream", async () => {
  const service = await serve();
  const stream = await service.open(wethPrice, { key: FREE, host: "paid" });
  expect(stream.status).toBe(403);
  expect((await service.open(wethPrice, { key: FREE, host: "free" })).status).toBe(200);
});
