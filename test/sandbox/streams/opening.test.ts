import { describe, expect, test } from "vitest";
import type { ReceivedRequest } from "../../../src/sandbox/received-request.ts";
import { exchange } from "../contract/service.ts";
import {
  type ListRequest,
  DEV,
  FREE,
  messageOf,
  poolTrades,
  PRO,
  refusalOf,
  serve,
  usdcPrice,
  WETH,
  wethCandles,
  wethPrice,
} from "./stream-client.ts";

const entry = { chain: "ethereum", address: WETH, method: "token_price" };
const reserves = `/sse/reserves?method=token_reserves&chain=ethereum&address=${WETH}`;

test("10, 44, 156: the sandbox has four localhost URLs, two of them for streams", async () => {
  const { sandbox } = await serve();
  const urls = [sandbox.restFree, sandbox.restPaid, sandbox.streamFree, sandbox.streamPaid];
  expect(urls.map((url) => new URL(url).hostname)).toEqual(urls.map(() => "127.0.0.1"));
  expect(new Set(urls).size).toBe(4);
});

test("the stream hosts use the ports after the REST hosts", async () => {
  // Another process may take the four ports between the two starts; then four others are tried.
  for (let attempt = 0; ; attempt++) {
    const { sandbox } = await serve();
    const port = Number(new URL(sandbox.restFree).port);
    await sandbox.close();
    const again = await serve({ port }).catch((error: unknown) => {
      if (attempt === 20) throw error;
      return undefined;
    });
    if (again === undefined) continue;
    const { restFree, restPaid, streamFree, streamPaid } = again.sandbox;
    const ports = [restFree, restPaid, streamFree, streamPaid].map((url) => Number(new URL(url).port));
    expect(ports).toEqual([port, port + 1, port + 2, port + 3]);
    return;
  }
});

test("10: REST has no streams, and the stream hosts have no REST", async () => {
  const { sandbox, open } = await serve();
  expect((await exchange(sandbox.restPaid, wethPrice, { key: PRO })).status).toBe(404);
  expect(refusalOf(await open("/networks"))).toBe("404 route_not_found");
  expect(refusalOf(await open("/pools"))).toBe("404 route_not_found");
});

test("155, 159: a stream opens at once, in HTTP/1.1, with the applied plan in its header", async () => {
  const { open } = await serve();
  const { status, headers, response } = await open(wethPrice);
  expect([status, headers["content-type"], headers["x-api-plan"], response.httpVersion]).toEqual([
    200,
    "text/event-stream",
    "pro",
    "1.1",
  ]);
  expect(headers["x-dexdata-sandbox"]).toMatch(/^simulated data/);
});

describe("spec dialect", () => {
  test.each([
    ["126: no method", `/sse/prices?chain=ethereum&address=${WETH}`, "400 missing_param method"],
    ["126: another method", wethPrice.replace("token_price", "price"), "400 invalid_param method"],
    ["126: the older method", wethPrice.replace("token_price", "t_p"), "400 invalid_param method"],
    ["200: no chain", `/sse/prices?method=token_price&address=${WETH}`, "400 missing_param chain"],
    ["200: no address", "/sse/prices?method=token_price&chain=ethereum", "400 missing_param address"],
    ["200: an unsupported chain", wethPrice.replace("ethereum", "eth"), "400 invalid_param chain"],
    ["4, 200: an upper-case slug", wethPrice.replace("ethereum", "Ethereum"), "400 invalid_param chain"],
    ["200: an unknown token", wethPrice.replace(WETH, "0xdead"), "400 invalid_param address"],
    ["200: an unknown pool", `${poolTrades}0`, "400 invalid_param address"],
    ["200: a pool as a token", poolTrades.replace("=pool", "=token"), "400 invalid_param address"],
    ["200: an unknown token's candles", `${wethCandles}0`, "400 invalid_param address"],
    ["200: limit 0", `${wethPrice}&limit=0`, "400 invalid_param limit"],
    ["200: a limit that is not a number", `${wethPrice}&limit=ten`, "400 invalid_param limit"],
    ["200: a request_id that is not a number", `${wethPrice}&request_id=a`, "400 invalid_param request_id"],
    ["200: a negative request_id", `${wethPrice}&request_id=-1`, "400 invalid_param request_id"],
    ["200: a request_id of 2^32", `${wethPrice}&request_id=4294967296`, "400 invalid_param request_id"],
    ["200: an interval of minutes", `${wethCandles}&interval=1m`, "400 invalid_param interval"],
    ["200: a since that is not a time", `${wethCandles}&since=-5m`, "400 invalid_param since"],
    ["166: reserves are not specified", reserves, "404 route_not_found"],
    ["148: the root path", "/", "404 route_not_found"],
    ["220: no version segment", `/v1${wethPrice}`, "404 route_not_found"],
  ])("%s", async (_rule, path, expected) => {
    const { open } = await serve();
    const answer = await open(path);
    expect(refusalOf(answer)).toBe(expected);
    expect(answer.headers["x-api-plan"]).toBe("pro");
  });

  test.each([
    ["125, 218: 26 assets", Array.from({ length: 26 }, () => entry), "400 invalid_param body"],
    ["133: no asset", [], "400 invalid_param body"],
    ["133: a body that is not an array", entry, "400 invalid_param body"],
    ["133: no JSON", "[{", "400 invalid_param body"],
    [
      "133: a body that is too large",
      `[${" ".repeat(200_000)}${JSON.stringify(entry)}]`,
      "400 invalid_param body",
    ],
    ["133: an entry that is not an object", [entry, 7], "400 invalid_param body"],
    ["133: an entry without a method", [{ ...entry, method: undefined }], "400 missing_param method"],
    ["133: a number as an address", [{ ...entry, address: 7 }], "400 invalid_param address"],
    [
      "133: a request_id that is not a number",
      [{ ...entry, request_id: "1" }],
      "400 invalid_param request_id",
    ],
    ["128: a wrong chain", [entry, { ...entry, chain: "eth" }], "400 invalid_param chain"],
    ["128: an unknown token", [entry, { ...entry, address: "0xdead" }], "400 invalid_param address"],
    ["128: a wrong method", [entry, { ...entry, method: "pool" }], "400 invalid_param method"],
  ])("%s rejects the batch", async (_rule, body, expected) => {
    const { open } = await serve();
    expect(refusalOf(await open("/sse/prices", { method: "POST", body }))).toBe(expected);
  });

  test("128: a rejected batch names the invalid asset", async () => {
    const { open } = await serve();
    const body = [entry, { ...entry, address: "0xdead" }];
    expect(messageOf(await open("/sse/prices", { method: "POST", body }))).toBe(
      "asset 1: token not found: ethereum/0xdead",
    );
  });

  test("125: 25 assets are one stream", async () => {
    const { open } = await serve();
    const body = Array.from({ length: 25 }, () => entry);
    expect((await open("/sse/prices", { method: "POST", body })).status).toBe(200);
  });

  test.each([poolTrades, wethCandles])("1, 127: POST %s is not allowed", async (path) => {
    const { open } = await serve();
    const answer = await open(path, { method: "POST", body: [entry] });
    expect([refusalOf(answer), answer.headers["allow"]]).toEqual(["405 method_not_allowed", "GET"]);
  });

  test.each(["PUT", "DELETE", "PATCH"])("1: %s /sse/prices is not allowed", async (method) => {
    const { open } = await serve();
    const answer = await open(wethPrice, { method });
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, POST"]);
  });

  test.each<[string, ListRequest, string]>([
    ["149, 156: no key on the paid host", {}, "401 unauthorized"],
    ["147: an authorization scheme", { key: `Bearer ${PRO}` }, "401 invalid_api_key"],
    ["146: a key with another prefix", { key: "key_pro_1" }, "401 invalid_api_key"],
    ["151, 156: a free key on the paid host", { key: FREE, host: "paid" }, "403 wrong_host"],
    ["152: a Pro key on the free host", { key: PRO, host: "free" }, "403 wrong_host"],
  ])("%s", async (_rule, asking, expected) => {
    const { open } = await serve();
    const answer = await open(wethPrice, { key: undefined, host: "paid", ...asking });
    expect(refusalOf(answer)).toBe(expected);
    expect(answer.headers["x-api-plan"]).toBe(
      expected.startsWith("401") ? "keyless" : asking.key?.slice(4, -8),
    );
  });

  test.each([
    ["keyless", undefined, "free"],
    ["free", FREE, "free"],
    ["dev", DEV, "paid"],
    ["pro", PRO, "paid"],
    ["enterprise", "api_enterprise_streams", "paid"],
  ] as const)("157: %s streams prices on its host, any token", async (plan, key, host) => {
    const { open } = await serve();
    const { status, headers } = await open(usdcPrice, { key, host });
    expect([status, headers["x-api-plan"]]).toEqual([200, plan]);
  });

  test.each([
    ["keyless", undefined],
    ["free", FREE],
  ])("127, 154, 175: %s gets plan_required for transactions and candles", async (tier, key) => {
    const { open } = await serve({ credits: 0 });
    for (const path of [poolTrades, wethCandles, `${poolTrades}0`]) {
      const answer = await open(path, { key, host: "free" });
      expect([answer.status, JSON.parse(answer.text())]).toEqual([
        403,
        {
          error: "plan_required",
          tier,
          message: "this endpoint requires a Dev or Pro plan",
          required_tier: "dev",
          links: expect.objectContaining({ docs: expect.any(String) }),
        },
      ]);
    }
  });
});

describe("141, 142: /stream is removed on both hosts for every caller", () => {
  test.each(["spec", "public"] as const)("%s", async (dialect) => {
    const { open } = await serve({ dialect, credits: 0 });
    for (const host of ["free", "paid"] as const) {
      for (const key of [undefined, FREE, PRO, "Bearer x"]) {
        for (const method of ["GET", "POST"]) {
          const answer = await open("/stream?x=1", { key, host, method });
          expect([answer.status, JSON.parse(answer.text())]).toEqual([
            410,
            dialect === "public"
              ? { code: 410, message: "endpoint removed", replacement: "/sse/prices" }
              : {
                  error: "endpoint_removed",
                  code: 410,
                  message: expect.stringContaining("method=token_price"),
                  replacement: "/sse/prices",
                  documentation: expect.any(String),
                },
          ]);
        }
      }
    }
  });
});

describe("public dialect", () => {
  test.each([
    [
      "a bad request_id",
      `${wethPrice}&request_id=a`,
      400,
      "invalid query parameters: request_id (must be a number)",
    ],
    ["an unknown token", wethPrice.replace(WETH, "0xdead"), 400, "token not found: ethereum/0xdead"],
    ["an unknown token's candles", `${wethCandles}0`, 404, `token not found: ethereum/${WETH}0`],
    ["an unknown path", "/nothing", 404, "Not Found"],
    ["the root path", "/", 404, "Not Found"],
    ["the older path of reserves", "/reserves/stream", 404, "Not Found"],
  ])("rejects %s with only a message", async (_what, path, status, message) => {
    const { open } = await serve({ dialect: "public" });
    const answer = await open(path);
    expect([answer.status, JSON.parse(answer.text())]).toEqual([status, { message }]);
  });

  test("rejects an invalid key with its own message", async () => {
    const { open } = await serve({ dialect: "public" });
    const answer = await open(wethPrice, { key: "Token x" });
    expect([answer.status, answer.text()]).toEqual([401, '{"message":"api key verification has failed"}']);
  });

  test("149: no key on the paid host is 403 with an HTML page", async () => {
    const { open } = await serve({ dialect: "public" });
    const answer = await open(wethPrice, { key: undefined });
    expect([answer.status, answer.headers["content-type"]]).toEqual([403, "text/html"]);
    expect(answer.text()).toMatch(/^<!DOCTYPE html>/);
  });

  test.each([
    ["/sse/prices", "token_price", "too many assets, max 25 allowed"],
    ["/sse/reserves", "token_reserves", "too many subscriptions"],
  ])("26 assets on %s", async (path, method, message) => {
    const { open } = await serve({ dialect: "public" });
    const body = Array.from({ length: 26 }, () => ({ ...entry, method }));
    const answer = await open(path, { method: "POST", body });
    expect([answer.status, answer.text()]).toEqual([400, JSON.stringify({ message })]);
  });

  test("accepts a batch of transactions, but not of candles", async () => {
    const { open } = await serve({ dialect: "public" });
    const batch = (method: string) => ({ method: "POST", body: [{ ...entry, method }] });
    expect((await open("/sse/transactions", batch("token"))).status).toBe(200);
    expect((await open("/sse/ohlcv", batch("token_ohlcv"))).status).toBe(405);
  });

  test("has reserves, which can be mixed with other methods", async () => {
    const { open } = await serve({ dialect: "public" });
    const body = [
      { ...entry, method: "token_reserves" },
      { chain: "ethereum", address: "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640", method: "pool_reserves" },
    ];
    expect((await open("/sse/reserves", { method: "POST", body })).status).toBe(200);
    expect((await open(reserves, { key: FREE })).status).toBe(200);
  });

  test.each([
    ["WETH on ethereum", wethPrice, 200],
    [
      "wrapped SOL on solana",
      "/sse/prices?method=token_price&chain=solana&address=So11111111111111111111111111111111111111112",
      200,
    ],
    ["USDC on ethereum", usdcPrice, 403],
    ["reserves", reserves, 403],
  ])("173: without a key, %s", async (_what, path, status) => {
    const { open } = await serve({ dialect: "public" });
    const answer = await open(path, { key: undefined, host: "free" });
    expect(answer.status).toBe(status);
    if (status === 403) {
      expect(JSON.parse(answer.text())).toEqual({
        error: "preview_only",
        tier: "keyless",
        message: expect.stringContaining("—"),
        links: expect.objectContaining({ register: expect.any(String) }),
      });
    }
  });

  test("173: a batch with one asset outside the preview is rejected", async () => {
    const { open } = await serve({ dialect: "public" });
    const body = [
      entry,
      JSON.parse(JSON.stringify(entry).replace(WETH, "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48")),
    ];
    expect((await open("/sse/prices", { key: undefined, host: "free", method: "POST", body })).status).toBe(
      403,
    );
    expect((await open("/sse/prices", { key: FREE, method: "POST", body })).status).toBe(200);
  });
});

test("7, 202: opening a stream counts against the rate limit, together with REST", async () => {
  const { open, sandbox } = await serve({ requestsPerMinute: 3 });
  const key = "api_pro_minute";
  await exchange(sandbox.restPaid, "/usage", { key });
  expect((await open(wethPrice, { key })).status).toBe(200);
  expect((await open("/nothing", { key })).status).toBe(404);
  const refused = await open(wethPrice, { key });
  expect([refusalOf(refused), refused.headers["retry-after"]]).toEqual(["429 rate_limited", "60"]);
});

test("161: the log has a line for each opened stream", async () => {
  const log: ReceivedRequest[] = [];
  const { open } = await serve({ log: (request) => log.push(request) });
  await open(wethPrice);
  await open("/nothing", { key: undefined, host: "free" });
  expect(log).toMatchObject([
    { host: "stream_paid", method: "GET", url: wethPrice, status: 200, plan: "pro", credits: 0, key: "pro" },
    { host: "stream_free", url: "/nothing", status: 404, plan: "keyless", credits: 0, key: "none" },
  ]);
});
