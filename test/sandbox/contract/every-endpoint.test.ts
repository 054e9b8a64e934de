import { describe, expect, test } from "vitest";
import { type EndpointId, endpoints } from "../../../src/api/endpoints/all.ts";
import { rowShape } from "../../../src/api/endpoint.ts";
import { usualPath } from "../../harness/usual-asking.ts";
import { misfitsOf, rowsOf } from "./record-fit.ts";
import { type Answer, at, contract, USDC, USDC_WETH, WETH } from "./service.ts";

/** An endpoint whose response has rows, with a request to it if it needs more than the path. */
const paths: Readonly<Partial<Record<EndpointId, string>>> = {
  dexes: "/networks/ethereum/dexes?limit=100",
  pool_transactions: `/networks/ethereum/pools/${USDC_WETH}/transactions?limit=100`,
  pool_ohlcv: `/networks/ethereum/pools/${USDC_WETH}/ohlcv?start=-2d&interval=1h&limit=100`,
  token_ohlcv: `/networks/ethereum/tokens/${WETH}/ohlcv?start=-2d&interval=1h&limit=100`,
  network_tokens_search: "/networks/tempo/tokens/search?limit=100",
  tokens_search: "/tokens/search?chains=tempo,sui&limit=30&detailed=true&sort=asc",
  network_pools_search: "/networks/tempo/pools/search?limit=100",
  pools_search: "/pools/search?chains=tempo,sui&limit=30&detailed=true&sort=asc",
  search: "/search?query=uni",
  multi_prices: `/networks/ethereum/multi/prices?tokens=${WETH},${USDC}`,
};

const sample = { network: "ethereum", pool_address: USDC_WETH, token_address: WETH };
const cases = endpoints.map(
  (endpoint) => [endpoint.id, endpoint, paths[endpoint.id] ?? usualPath(endpoint, sample)] as const,
);

for (const dialect of ["spec", "public"] as const) {
  contract(`every endpoint, ${dialect} dialect`, { dialect }, (service) => {
    describe.each(cases)("%s", (id, endpoint, path) => {
      test("rows match the contract's record; 2, 155, 216: headers for plan, credits and simulated data", async () => {
        const answer = await service.ask(path);
        expect(answer.status).toBe(200);
        expectStandardHeaders(answer);
        for (const [group, rows] of rowsOf(endpoint, answer.body)) {
          expect(rows.length).toBeGreaterThan(0);
          const misfits = rows.flatMap((row) => misfitsOf(row, rowShape(endpoint, group).record, group));
          expect([...new Set(misfits)]).toEqual([]);
        }
      });

      test("55: unknown parameters are ignored", async () => {
        const strange = `${path}${path.includes("?") ? "&" : "?"}no_such_name=1&Limit=3`;
        const [plain, other] = [await service.ask(path), await service.ask(strange)];
        // Each request costs a credit, and /usage counts it.
        const text = id === "usage" ? other.text.replace(/"used".*?}/, "") : other.text;
        expect(text).toBe(id === "usage" ? plain.text.replace(/"used".*?}/, "") : plain.text);
      });
    });
  });
}

contract("refusals of every kind", { credits: 50, requestsPerMinute: 60 }, (service) => {
  test.each([
    [400, "/networks/tempo/pools/search?limit=0", { key: "api_dev_kinds" }],
    [401, "/networks", {}],
    [401, "/networks", { key: "nonsense" }],
    [403, "/networks", { key: "api_free_kinds" }],
    [404, "/networks/eth/dexes", { key: "api_dev_kinds" }],
    [405, "/networks", { key: "api_dev_kinds", method: "POST" }],
    [410, "/pools", { key: "api_dev_kinds" }],
  ])("2, 155, 167: %d is JSON with error, message, plan and credits", async (status, path, asking) => {
    const answer = await service.ask(path, asking);
    expect(answer.status).toBe(status);
    expectStandardHeaders(answer);
    expect([typeof at(answer.body, "error"), typeof at(answer.body, "message")]).toEqual([
      "string",
      "string",
    ]);
  });

  test("2, 155, 167: so are 402 and 429", async () => {
    const statuses = new Set<number>();
    for (let asked = 0; asked < 70; asked++) {
      const answer = await service.ask("/usage", { key: "api_dev_both" });
      statuses.add(answer.status);
      expectStandardHeaders(answer);
    }
    expect([...statuses]).toEqual([200, 402, 429]);
  });
});

function expectStandardHeaders({ headers }: Answer): void {
  expect(headers["content-type"]).toMatch(/^application\/json/);
  expect(headers["x-api-plan"]).toMatch(/^(keyless|free|dev|pro|enterprise)$/);
  for (const name of ["x-credits-limit", "x-credits-remaining", "x-credits-reset"]) {
    expect(headers[name]).toMatch(/^\d+$/);
  }
  expect(headers["x-dexdata-sandbox"]).toBe("simulated data; seed=1; at=2026-10-02T12:00:00Z");
}
