import { describe, expect, test } from "vitest";
import { createMarket } from "../../harness/bundled-sandbox.ts";
import { at, column, contract, ENTERPRISE, list, NOON, PRO, refusal, USDC_WETH, WETH } from "./service.ts";

contract("routes", {}, (service) => {
  test.each([
    ["/networks", 200],
    ["/networks/ethereum/dexes", 200],
    [`/networks/ethereum/pools/${USDC_WETH}`, 200],
    [`/networks/ethereum/pools/${USDC_WETH}/transactions`, 200],
    [`/networks/ethereum/pools/${USDC_WETH}/ohlcv?start=-24h`, 200],
    [`/networks/ethereum/tokens/${WETH}`, 200],
    [`/networks/ethereum/tokens/${WETH}/ohlcv?start=-24h`, 200],
    [`/networks/ethereum/multi/prices?tokens=${WETH}`, 200],
    ["/networks/tempo/pools/search", 200],
    ["/networks/tempo/tokens/search", 200],
    ["/pools/search?chains=tempo", 200],
    ["/tokens/search?chains=tempo", 200],
    ["/search?query=no+such+thing+anywhere", 200],
    ["/usage", 200],
  ])("9: %s has a route", async (path, status) => {
    expect((await service.ask(path)).status).toBe(status);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH"])(
    "1, 201: %s on a known path is 405 with Allow",
    async (method) => {
      const answer = await service.ask("/networks", { method, key: PRO });
      expect(refusal(answer)).toBe("405 method_not_allowed");
      expect(answer.headers["allow"]).toBe("GET");
      expect(answer.headers["x-api-plan"]).toBe("pro");
    },
  );

  test.each([
    "/",
    "/nothing",
    "/v1/networks",
    "/networks/",
    "/networks/ethereum",
    "/networks//dexes",
    "/webhooks",
    "/stats",
    "/%E0%A4%A",
    `/networks/ethereum/pools/${USDC_WETH}/`,
    "/networks/ethereum/dexes/uniswap_v3",
  ])("193, 220: %s is 404 route_not_found", async (path) => {
    expect(refusal(await service.ask(path))).toBe("404 route_not_found");
  });

  test("219: the root returns the version of the API", async () => {
    expect(at((await service.ask("/")).body, "message")).toContain("1.0.4");
  });

  test.each(["eth", "ETH", "Ethereum", "ethereum%20", "sol", "0x1"])(
    "4, 5, 193: network %s is 404 unsupported_network",
    async (network) => {
      const answer = await service.ask(`/networks/${network}/dexes`);
      expect(refusal(answer)).toBe("404 unsupported_network network");
    },
  );

  test.each([
    [`/networks/ethereum/pools/0x${"0".repeat(40)}`, "pool"],
    [`/networks/ethereum/pools/0x${"0".repeat(40)}/transactions`, "pool"],
    [`/networks/ethereum/pools/0x${"0".repeat(40)}/ohlcv?start=-1h`, "pool"],
    [`/networks/ethereum/tokens/0x${"0".repeat(40)}`, "token"],
    [`/networks/ethereum/tokens/0x${"0".repeat(40)}/ohlcv?start=-1h`, "token"],
    ["/networks/ethereum/pools/search/transactions", "pool"],
  ])("170, 193: %s is 404 not_found of a %s", async (path, resource) => {
    expect(refusal(await service.ask(path))).toBe(`404 not_found ${resource}`);
  });

  test.each([
    [`/networks/eth/pools/${USDC_WETH}`],
    [`/networks/eth/pools/${USDC_WETH}/transactions`],
    [`/networks/eth/pools/${USDC_WETH}/ohlcv`],
    [`/networks/eth/tokens/${WETH}`],
    [`/networks/eth/tokens/${WETH}/ohlcv`],
    ["/networks/eth/multi/prices"],
    ["/networks/eth/pools/search"],
    ["/networks/eth/tokens/search"],
    ["/pools/search?chains=ethereum,eth"],
    ["/tokens/search?chains=eth"],
  ])("5, 59, 101: %s checks the network first", async (path) => {
    expect(refusal(await service.ask(path))).toBe("404 unsupported_network network");
  });

  test("124: search is never parsed as an address", async () => {
    const pools = await service.ask("/networks/tempo/pools/search");
    const tokens = await service.ask("/networks/tempo/tokens/search");
    expect([at(pools.body, "has_next_page"), at(tokens.body, "has_next_page")]).toEqual([true, true]);
  });

  test("a path segment may be percent-encoded", async () => {
    const answer = await service.ask(`/networks/%65thereum/pools/%30${USDC_WETH.slice(1)}`);
    expect(at(answer.body, "id")).toBe(USDC_WETH);
  });

  test("an EVM address matches in any letter case", async () => {
    const answer = await service.ask(`/networks/ethereum/pools/0x${USDC_WETH.slice(2).toUpperCase()}`);
    expect(at(answer.body, "id")).toBe(USDC_WETH);
  });

  test("3, 42: /networks lists 35 networks with id and display_name", async () => {
    const { body } = await service.ask("/networks");
    expect(list(body)).toHaveLength(35);
    expect(list(body)).toContainEqual(expect.objectContaining({ id: "ethereum", display_name: "Ethereum" }));
  });

  test("105: every ID in /networks works on another route", async () => {
    const ids = column((await service.ask("/networks")).body, "", "id");
    for (const id of ids) {
      const answer = await service.ask(`/networks/${String(id)}/multi/prices?tokens=0x0`, {
        key: ENTERPRISE,
      });
      expect([id, answer.status]).toEqual([id, 200]);
    }
  });

  test("43: a request does not change the result of another request", async () => {
    const path = "/networks/tempo/pools/search?limit=3";
    const before = await service.ask(path);
    await service.ask(`/networks/ethereum/pools/${USDC_WETH}/transactions?limit=100`);
    await service.ask("/networks/tempo/pools/search?limit=100&order_by=created_at&sort=asc");
    expect((await service.ask(path)).text).toBe(before.text);
  });

  test("45: both hosts return the same response for a path", async () => {
    const path = "/networks/tempo/pools/search?limit=2";
    const free = await service.ask(path, { host: "free" });
    const paid = await service.ask(path);
    expect(free.text).toBe(paid.text);
  });
});

describe("a different seed", () => {
  contract("seed 2", { seed: 2 }, (service) => {
    test("the response header shows the seed, and the market differs", async () => {
      const answer = await service.ask("/networks/tempo/pools/search?limit=1");
      expect(answer.headers["x-dexdata-sandbox"]).toBe("simulated data; seed=2; at=2026-10-02T12:00:00Z");
    });
  });
});

contract("public dialect", { dialect: "public" }, (service) => {
  test("/stats counts the market; only the public service has it", async () => {
    const market = createMarket({ seed: 1 });
    const total = (count: (network: (typeof market.networks)[number]) => number): number =>
      market.networks.reduce((sum, network) => sum + count(network), 0);
    const { status, body } = await service.ask("/stats");
    expect([status, body]).toEqual([
      200,
      {
        chains: list((await service.ask("/networks")).body, "").length,
        factories: total((network) => market.dexes(network).length),
        pools: total((network) => market.pools(network, NOON).length),
        tokens: total((network) => market.tokens(network, NOON).length),
      },
    ]);
    expect((await service.ask("/stats", { method: "POST", key: PRO })).status).toBe(405);
    expect((await service.ask("/stats/x")).status).toBe(404);
  });

  test("3: /networks lists more networks than the specification", async () => {
    expect(list((await service.ask("/networks")).body)).toHaveLength(36);
  });

  test("an error outside plan and billing has only a message", async () => {
    const answer = await service.ask("/networks/eth/dexes");
    expect([answer.status, answer.body]).toEqual([404, { message: "unsupported network: eth" }]);
  });
});
