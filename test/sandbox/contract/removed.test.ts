import { expect, test } from "vitest";
import { at, contract, DAY, FREE, keysOf, NOON, PRO } from "./service.ts";

const removed: readonly (readonly [rule: string, path: string, replacement: string])[] = [
  ["134", "/pools", "/pools/search"],
  ["135", "/networks/ethereum/pools", "/networks/{network}/pools/search"],
  ["136, 124", "/networks/ethereum/pools/filter", "/networks/{network}/pools/search"],
  ["137", "/networks/ethereum/dexes/uniswap_v3/pools", "/networks/{network}/pools/search?dex_name={dex}"],
  [
    "138",
    "/networks/ethereum/tokens/0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2/pools",
    "/networks/{network}/pools/search?token_address={token_address}",
  ],
  ["139, 124", "/networks/ethereum/tokens/filter", "/networks/{network}/tokens/search"],
  ["140, 124", "/networks/ethereum/tokens/top", "/networks/{network}/tokens/search"],
];

contract("removed endpoints", { credits: 100 }, (service) => {
  test.each(removed)("%s: %s is 410 with %s", async (_rule, path, replacement) => {
    const answer = await service.ask(path);
    expect([answer.status, at(answer.body, "error"), at(answer.body, "replacement")]).toEqual([
      410,
      "endpoint_removed",
      replacement,
    ]);
  });

  test("195: the body has code, message, replacement and documentation", async () => {
    const { body } = await service.ask("/pools");
    expect(keysOf(body).toSorted()).toEqual(["code", "documentation", "error", "message", "replacement"]);
    expect(at(body, "code")).toBe(410);
  });

  test.each([
    ["an unknown network", "/networks/eth/pools", { key: PRO }],
    ["an unknown token", "/networks/ethereum/tokens/0x0/pools", { key: PRO }],
    ["old parameters", "/networks/ethereum/pools?sort_by=x&page=3&limit=999", { key: PRO }],
    ["a POST", "/pools", { key: PRO, method: "POST" }],
    ["no key on the free host", "/pools", { host: "free" as const }],
    ["no key on the paid host", "/pools", {}],
    ["a broken key", "/pools", { key: "Bearer x" }],
    ["a free key on the paid host", "/pools", { key: FREE }],
    ["a paid key on the free host", "/pools", { key: PRO, host: "free" as const }],
  ])("142: 410 with %s", async (_case, path, asking) => {
    expect((await service.ask(path, asking)).status).toBe(410);
  });

  test("142: 410 without credits left, and the balance does not go below zero", async () => {
    const key = "api_dev_spent";
    for (let spent = 0; spent < 100; spent++) await service.ask("/usage", { key });
    expect((await service.ask("/usage", { key })).status).toBe(402);
    const answer = await service.ask("/pools", { key });
    expect([answer.status, answer.headers["x-credits-remaining"]]).toEqual([410, "0"]);
    const refused = await service.ask("/usage", { key });
    expect([refused.status, at(refused.body, "credits.used")]).toEqual([402, 100]);
  });

  test("221: 410 at every time of the clock", async () => {
    for (const days of [-1000, 0, 5000]) {
      service.clock.now = (NOON + days * DAY) * 1000;
      expect((await service.ask("/pools")).status).toBe(410);
    }
    service.clock.now = NOON * 1000;
  });

  test("155: a 410 has the plan header", async () => {
    expect((await service.ask("/pools")).headers["x-api-plan"]).toBe("pro");
  });

  test.each(["volume_24h_min=1e30", "sort_by=volume_usd", "sort_dir=sideways", "page=-1"])(
    "143, 51: the old parameter %s is ignored",
    async (old) => {
      const plain = await service.ask("/networks/tempo/pools/search?limit=2");
      expect((await service.ask(`/networks/tempo/pools/search?limit=2&${old}`)).text).toBe(plain.text);
    },
  );
});

contract("removed endpoints of the public service", { dialect: "public" }, (service) => {
  test("195: the body has only code, message and replacement", async () => {
    expect((await service.ask("/pools")).body).toEqual({
      code: 410,
      message: "endpoint removed",
      replacement: "/pools/search",
    });
  });
});

contract("a removed path without a limit in the minute", { requestsPerMinute: 1 }, (service) => {
  test("142: repeated requests to removed endpoints stay 410", async () => {
    for (let asked = 0; asked < 5; asked++) expect((await service.ask("/pools")).status).toBe(410);
  });
});
