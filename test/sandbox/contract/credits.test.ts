import { expect, test } from "vitest";
import {
  type ListRequest,
  at,
  contract,
  DAY,
  ENTERPRISE,
  keysOf,
  NOON,
  type Service,
  USDC,
  USDC_WETH,
  WETH,
} from "./service.ts";

async function remaining(service: Service, path: string, asking: ListRequest): Promise<number> {
  return Number((await service.ask(path, asking)).headers["x-credits-remaining"]);
}

async function spend(service: Service, requests: number, asking: ListRequest): Promise<void> {
  for (let asked = 0; asked < requests; asked++) await service.ask("/usage", asking);
}

contract("credits", {}, (service) => {
  test.each([
    ["207", { host: "free" } as const, "10000"],
    ["208", { host: "free", key: "api_free_limit" } as const, "100000"],
    ["209", { key: "api_dev_limit" }, "500000"],
    ["210", { key: "api_pro_limit" }, "5000000"],
  ])("%s, 216: the limit of %o is %s", async (_rule, asking, limit) => {
    const { headers } = await service.ask("/usage", asking);
    expect(headers["x-credits-limit"]).toBe(limit);
    expect(headers["x-credits-remaining"]).toBe(String(Number(limit) - 1));
    expect(Number(headers["x-credits-reset"])).toBeGreaterThan(NOON);
  });

  test.each([
    ["46", "/networks", 1],
    ["46", "/usage", 1],
    ["46", "/networks/tempo/pools/search?limit=100", 1],
    ["46", `/networks/ethereum/pools/${USDC_WETH}/transactions?limit=100`, 1],
    ["47, 88", `/networks/ethereum/multi/prices?tokens=${WETH},${USDC},0x0,${WETH}`, 4],
    ["47, 88", `/networks/ethereum/multi/prices?tokens=0x0&tokens=0x1`, 2],
    ["a 400", "/networks/tempo/pools/search?limit=101", 1],
    ["a 400 of a batch", `/networks/ethereum/multi/prices?tokens=${"0x0,".repeat(11)}`, 1],
    ["a 404", "/networks/eth/dexes", 1],
    ["a 404 of a path", "/nothing", 1],
    ["a 410", "/pools", 1],
    ["a 404 of a batch", "/networks/eth/multi/prices?tokens=0x0,0x1,0x2", 1],
  ])("%s: %s costs %d", async (_rule, path, cost) => {
    const key = "api_dev_costs";
    const before = await remaining(service, "/usage", { key });
    expect(before - (await remaining(service, path, { key }))).toBe(cost);
  });

  test("a 405 costs no credits", async () => {
    const key = "api_dev_costs";
    const before = await remaining(service, "/usage", { key });
    expect(await remaining(service, "/usage", { key, method: "POST" })).toBe(before);
  });
});

const exhausted: readonly (readonly [tier: string, asking: ListRequest, word: RegExp, link: string])[] = [
  ["keyless", { host: "free" }, /register/, "register"],
  ["free", { host: "free", key: "api_free_none" }, /upgrade/, "upgrade"],
  ["dev", { key: "api_dev_none" }, /overage.*spend cap/, "portal"],
  ["pro", { key: "api_pro_none" }, /overage.*spend cap/, "packs"],
  ["enterprise", { key: ENTERPRISE }, /request more/, "portal"],
];

contract("no credits left", { credits: 3 }, (service) => {
  test.each(exhausted)(
    "188, 191, 182, 174, 212: the 402 of %s explains how to continue",
    async (tier, asking, word, link) => {
      await spend(service, 3, asking);
      const { status, body } = await service.ask("/usage", asking);
      expect([status, at(body, "error"), at(body, "tier")]).toEqual([402, "payment_required", tier]);
      expect(at(body, "message")).toMatch(word);
      expect(at(body, `links.${link}`)).toMatch(/^https:/);
    },
  );

  test.each(exhausted)(
    "189, 190: the 402 of %s has the credit headers and no Retry-After",
    async (_tier, asking) => {
      await spend(service, 3, asking);
      const { headers } = await service.ask("/usage", asking);
      expect([headers["x-credits-limit"], headers["x-credits-remaining"]]).toEqual(["3", "0"]);
      expect(headers["x-credits-reset"]).toMatch(/^\d+$/);
      expect(headers).not.toHaveProperty("retry-after");
    },
  );

  test.each([
    ["keyless", ["error", "tier", "message", "credits", "offer", "links"]],
    ["free", ["error", "tier", "message", "credits", "offer", "links"]],
    ["dev", ["error", "tier", "message", "credits", "resets_at", "links"]],
    ["pro", ["error", "tier", "message", "credits", "overage", "resets_at", "links"]],
    ["enterprise", ["error", "tier", "message", "credits", "links"]],
  ])("177, 178, 179, 181: the 402 of %s has the fields of its plan", async (tier, fields) => {
    const asking = exhausted.find(([each]) => each === tier)?.[1] ?? {};
    await spend(service, 3, asking);
    const { body } = await service.ask("/usage", asking);
    expect(keysOf(body)).toEqual(fields);
    const inCredits = tier === "pro" ? ["plan", "packs"] : [];
    expect(keysOf(at(body, "credits"))).toEqual([...inCredits, "limit", "used", "remaining"]);
  });

  test("178: overage of pro is off by default, and its amounts are decimal strings", async () => {
    const asking = { key: "api_pro_none" };
    await spend(service, 3, asking);
    const overage = at((await service.ask("/usage", asking)).body, "overage");
    expect(overage).toEqual({ enabled: false, cap: "0.00", used: "0.00", block: "20.00" });
  });

  test("181: an offer has a description and an end", async () => {
    await spend(service, 3, { host: "free" });
    const offer = at((await service.ask("/usage", { host: "free" })).body, "offer");
    expect(offer).toEqual({
      description: expect.any(String),
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test("a batch that costs more than the remaining credits is 402 and charges nothing", async () => {
    const key = "api_dev_batch";
    const answer = await service.ask(`/networks/tempo/multi/prices?tokens=0x0,0x1,0x2,0x3`, { key });
    expect([answer.status, answer.headers["x-credits-remaining"]]).toEqual([402, "3"]);
    expect((await service.ask(`/networks/tempo/multi/prices?tokens=0x0,0x1,0x2`, { key })).status).toBe(200);
  });

  test("214: dev credits return at resets_at", async () => {
    const asking = { key: "api_dev_resets" };
    await spend(service, 3, asking);
    const refused = await service.ask("/usage", asking);
    expect(at(refused.body, "resets_at")).toBe("2026-11-01T00:00:00Z");
    expect(refused.headers["x-credits-reset"]).toBe(String(Date.UTC(2026, 10, 1) / 1000));
    service.clock.now = Date.UTC(2026, 10, 1) - 1000;
    expect((await service.ask("/usage", asking)).status).toBe(402);
    service.clock.now = Date.UTC(2026, 10, 1);
    expect(await remaining(service, "/usage", asking)).toBe(2);
    service.clock.now = NOON * 1000;
  });

  test("215: free credits return one by one, 30 days after their use", async () => {
    const asking: ListRequest = { key: "api_free_rolls", host: "free" };
    await spend(service, 1, asking);
    service.clock.now += 10 * DAY * 1000;
    await spend(service, 2, asking);
    expect((await service.ask("/usage", asking)).status).toBe(402);
    service.clock.now = (NOON + 30 * DAY - 1) * 1000;
    expect((await service.ask("/usage", asking)).status).toBe(402);
    service.clock.now = (NOON + 30 * DAY) * 1000;
    expect((await service.ask("/usage", asking)).status).toBe(200);
    expect((await service.ask("/usage", asking)).status).toBe(402);
    service.clock.now = NOON * 1000;
  });
});

contract("packs and overage", { credits: 3, packs: 2, overageCapUsd: 0.0001 }, (service) => {
  test("210, 177: packs add to the limit of pro", async () => {
    const { headers, body } = await service.ask("/usage", { key: "api_pro_packs" });
    expect(headers["x-credits-limit"]).toBe("5");
    expect(at(body, "credits")).toEqual({ plan: 3, packs: 2, limit: 5, used: 1, remaining: 4 });
  });

  test("211: above the limit, pro is served up to its overage cap", async () => {
    const asking = { key: "api_pro_overage" };
    // At 20 USD per million credits, 0.0001 USD buys five credits.
    await spend(service, 10, asking);
    const { status, body } = await service.ask("/usage", asking);
    expect([status, at(body, "overage")]).toEqual([
      402,
      { enabled: true, cap: "0.0001", used: "0.0001", block: "20.00" },
    ]);
  });

  test("210, 211: other plans have neither packs nor overage", async () => {
    const asking = { key: "api_dev_overage" };
    await spend(service, 3, asking);
    expect((await service.ask("/usage", asking)).status).toBe(402);
  });
});

contract("usage", {}, (service) => {
  test.each([
    ["keyless", { host: "free" } as const],
    ["free", { host: "free", key: "api_free_usage" } as const],
  ])("122: /usage shows %s its plan and nothing else", async (plan, asking) => {
    expect((await service.ask("/usage", asking)).body).toEqual({ plan });
  });

  test("123: with a key, /usage on the paid host matches the usage in the headers", async () => {
    const key = "api_pro_usage";
    await spend(service, 4, { key });
    const { body, headers } = await service.ask("/usage", { key });
    expect(body).toEqual({
      plan: "pro",
      credits: { plan: 5_000_000, packs: 0, limit: 5_000_000, used: 5, remaining: 4_999_995 },
      overage: { enabled: false, cap: "0.00", used: "0.00", block: "20.00" },
      resets_at: "2026-11-01T00:00:00Z",
    });
    expect(headers["x-credits-remaining"]).toBe("4999995");
  });

  test.each(["dev", "enterprise"])("123, 177: %s has neither packs nor overage", async (tier) => {
    const { body } = await service.ask("/usage", { key: `api_${tier}_usage` });
    expect(keysOf(body)).toEqual(["plan", "credits", "resets_at"]);
    expect(keysOf(at(body, "credits"))).toEqual(["limit", "used", "remaining"]);
  });
});
