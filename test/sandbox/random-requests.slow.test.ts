import { createSandboxState, handle } from "../harness/bundled-sandbox.ts";
import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { type Endpoint, rowShape } from "../../src/api/endpoint.ts";
import { misfitsOf, rowsOf } from "./contract/record-fit.ts";
import { at, NOON, USDC_WETH, WETH, words } from "./contract/service.ts";

const text = (value: string): string[] => words(value);

const networks = fc.constantFrom(...text("ethereum tempo plasma eth __proto__ %00"));
const addresses = fc.constantFrom(USDC_WETH, WETH, ...text("0x0 x %2F __proto__ constructor"));
const values = fc.oneof(
  fc.constantFrom(
    "",
    "asc",
    "desc",
    "true",
    "false",
    "1h",
    "24h",
    "2h",
    "-24h",
    "-7d",
    "2026-10-01",
    "2026-02-30",
  ),
  fc.constantFrom(
    "volume_usd_24h",
    "price_usd",
    "created_at",
    "uniswap_v3",
    "weth",
    WETH,
    `${WETH},0x0`,
    "%E2%80%AE",
  ),
  fc.integer({ min: -2, max: 1100 }).map(String),
  fc.double().map(String),
  fc.string().map(encodeURIComponent),
);

/** A request to the endpoint with some of its parameters, often with an invalid value. */
function requestOf(endpoint: Endpoint): fc.Arbitrary<string> {
  const params = endpoint.params.filter((param) => param.place === "query").map((param) => param.name);
  const query = fc.array(fc.tuple(fc.constantFrom(...params, "no_such_name"), values), { maxLength: 5 });
  // Without its own network, a search would build the market of all networks.
  const few =
    endpoint.path.startsWith("/pools") || endpoint.path.startsWith("/tokens") ? "chains=tempo&" : "";
  return fc.tuple(networks, addresses, query).map(([network, address, pairs]) => {
    const path = endpoint.path.replace("{network}", network).replace(/\{.*\}/, address);
    return `${path}?${few}${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`;
  });
}

for (const dialect of ["spec", "public"] as const) {
  const state = createSandboxState({
    now: () => NOON * 1000,
    elapsed: () => 0,
    requestsPerMinute: 1_000_000,
    dialect,
  });
  for (const endpoint of endpoints) {
    test(`169, 172, 184: every response of ${endpoint.id} in the ${dialect} dialect follows the contract`, () => {
      fc.assert(
        fc.property(requestOf(endpoint), (target) => {
          const response = handle(
            {
              method: "GET",
              target,
              headers: { authorization: "api_pro_random" },
              remoteAddress: "127.0.0.1",
              host: "rest_paid",
            },
            state,
          );
          const body: unknown = JSON.parse(response.body);
          expect([200, 400, 404]).toContain(response.status);
          if (response.status !== 200) {
            expect(at(body, "message")).toEqual(expect.any(String));
            if (dialect === "spec") expectEnvelope(endpoint, response.status, body);
            return;
          }
          for (const [group, rows] of rowsOf(endpoint, body)) {
            expect(rows.flatMap((row) => misfitsOf(row, rowShape(endpoint, group).record, group))).toEqual(
              [],
            );
          }
        }),
        { numRuns: 40, seed: 1 },
      );
    });
  }
}

/** Specification, Errors: those of the thirteen codes that REST parameters and paths can cause. */
function expectEnvelope(endpoint: Endpoint, status: number, body: unknown): void {
  const code = at(body, "error");
  const codes = { 400: words("invalid_param missing_param"), 404: words("unsupported_network not_found") };
  expect(status === 400 ? codes[400] : codes[404]).toContain(code);
  if (status === 400) expect(endpoint.params.map(({ name }) => name)).toContain(at(body, "param"));
  if (code === "unsupported_network") expect(at(body, "param")).toBe("network");
  if (code === "not_found") expect(words("pool token dex")).toContain(at(body, "resource"));
}
