import { expect, test } from "vitest";
import { type ListRequest, at, contract, refusal, type Service, USDC, WETH } from "./service.ts";

/** The number of requests that succeed before the first 429. */
async function countServed(service: Service, requests: number, asking: ListRequest): Promise<number> {
  for (let count = 0; count < requests; count++) {
    if ((await service.ask("/usage", asking)).status === 429) return count;
  }
  return requests;
}

contract("requests per minute", { hasOwnRates: true }, (service) => {
  test.each([
    ["202", 15, { host: "free" } as const],
    ["203", 30, { host: "free", key: "api_free_rate" } as const],
    ["205", 120, { key: "api_dev_rate" }],
    ["204", 500, { key: "api_pro_rate" }],
  ])("%s: %d requests are served, and the next one is not", async (_rule, rate, asking) => {
    expect(await countServed(service, rate + 5, asking)).toBe(rate);
  });

  test("205: enterprise has no rate limit", async () => {
    expect(await countServed(service, 520, { key: "api_enterprise_rate" })).toBe(520);
  });

  test("196, 180, 217, 174, 197: a 429 contains the time to wait, and costs no credits", async () => {
    const key = "api_dev_said";
    await countServed(service, 120, { key });
    service.clock.elapsed += 20_500;
    const answer = await service.ask("/usage", { key });
    expect([answer.status, answer.body]).toEqual([
      429,
      {
        error: "rate_limited",
        tier: "dev",
        message: expect.any(String),
        retry_after: 40,
        links: expect.any(Object),
      },
    ]);
    expect(answer.headers).toMatchObject({
      "retry-after": "40",
      "ratelimit-limit": "120",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "40",
      "x-api-plan": "dev",
      "x-credits-remaining": "499880",
    });
  });

  test("the window rolls: each request frees its slot a minute later", async () => {
    const key = "api_dev_rolls";
    await countServed(service, 60, { key });
    service.clock.elapsed += 30_000;
    await countServed(service, 60, { key });
    expect((await service.ask("/usage", { key })).status).toBe(429);
    service.clock.elapsed += 30_000;
    expect(await countServed(service, 100, { key })).toBe(60);
  });

  test("a client that waits as instructed is served", async () => {
    const key = "api_dev_waits";
    await countServed(service, 120, { key });
    const told = Number(at((await service.ask("/usage", { key })).body, "retry_after"));
    service.clock.elapsed += told * 1000 - 1;
    expect((await service.ask("/usage", { key })).status).toBe(429);
    service.clock.elapsed += 1;
    expect((await service.ask("/usage", { key })).status).toBe(200);
  });

  test("7, 47, 206: a batch counts as one request and costs one credit per item", async () => {
    const key = "api_dev_batch";
    const batch = `/networks/ethereum/multi/prices?tokens=${[WETH, USDC, WETH, USDC, WETH].join(",")}`;
    for (let sent = 0; sent < 120; sent++) await service.ask(batch, { key });
    const answer = await service.ask(batch, { key });
    expect([answer.status, answer.headers["x-credits-remaining"]]).toEqual([429, String(500_000 - 600)]);
  });

  test("the rate window uses real time: the simulated clock does not shorten it", async () => {
    const key = "api_dev_simulated";
    await countServed(service, 120, { key });
    service.clock.now += 3_600_000;
    expect((await service.ask("/usage", { key })).status).toBe(429);
  });

  test("401, 403 and 410 do not count against the rate limit", async () => {
    const key = "api_free_places";
    for (let sent = 0; sent < 40; sent++) {
      await service.ask("/usage", { key, host: "paid" });
      await service.ask("/networks/ethereum/pools/0x0/transactions", { key, host: "free" });
      await service.ask("/pools", { key, host: "free" });
    }
    expect((await service.ask("/usage", { key, host: "free" })).status).toBe(200);
  });
});

contract("a rate of the owner's", { requestsPerMinute: 3, minuteMs: 6000 }, (service) => {
  test("204: the rate and the length of its window can be set", async () => {
    expect(await countServed(service, 5, { key: "api_pro_short" })).toBe(3);
    const refused = await service.ask("/usage", { key: "api_pro_short" });
    expect([refusal(refused), refused.headers["retry-after"]]).toEqual(["429 rate_limited", "6"]);
    service.clock.elapsed += 6000;
    expect(await countServed(service, 5, { key: "api_pro_short" })).toBe(3);
  });
});
