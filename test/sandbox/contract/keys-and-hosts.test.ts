import { expect, test } from "vitest";
import { at, contract, DEV, ENTERPRISE, FREE, PRO, refusal, USDC_WETH } from "./service.ts";

contract("keys and hosts", {}, (service) => {
  test("144: the free host requires no key", async () => {
    const answer = await service.ask("/networks", { host: "free" });
    expect([answer.status, answer.headers["x-api-plan"]]).toEqual([200, "keyless"]);
  });

  test.each([
    ["free", "free", FREE],
    ["paid", "dev", DEV],
    ["paid", "pro", PRO],
    ["paid", "enterprise", ENTERPRISE],
  ] as const)("8, 44, 155: the %s host accepts a %s key and returns its plan", async (host, plan, key) => {
    const answer = await service.ask("/networks", { host, key });
    expect([answer.status, answer.headers["x-api-plan"]]).toEqual([200, plan]);
  });

  test.each([
    ["147", `Bearer ${PRO}`],
    ["147", `bearer ${PRO}`],
    ["147", `ApiKey ${PRO}`],
    ["147", `Basic ${PRO}`],
    ["145", `"${PRO}"`],
    ["145", `${PRO} x`],
    ["146", "sk_pro_contract"],
    ["150", "api_"],
    ["150", "api_gold_contract"],
    ["150", "api_keyless_contract"],
    ["150", "api_pro_"],
    ["150", "API_PRO_contract"],
  ])("%s: the header %s is 401 invalid_api_key on both hosts", async (_rule, key) => {
    for (const host of ["free", "paid"] as const) {
      const answer = await service.ask("/networks", { host, key });
      expect([refusal(answer), answer.headers["x-api-plan"]]).toEqual(["401 invalid_api_key", "keyless"]);
    }
  });

  test.each(["/", "/networks", "/usage", "/nothing", `/networks/ethereum/pools/${USDC_WETH}/transactions`])(
    "148, 149, 187: %s on the paid host without a key is 401 unauthorized",
    async (path) => {
      expect(refusal(await service.ask(path, { host: "paid" }))).toBe("401 unauthorized");
    },
  );

  test("148: the root with a key is 404 on the paid host", async () => {
    expect(refusal(await service.ask("/"))).toBe("404 route_not_found");
  });

  test("151: a free key on the paid host is 403 wrong_host", async () => {
    const answer = await service.ask("/networks", { key: FREE });
    expect([refusal(answer), at(answer.body, "tier"), answer.headers["x-api-plan"]]).toEqual([
      "403 wrong_host",
      "free",
      "free",
    ]);
  });

  test.each([
    ["dev", DEV],
    ["pro", PRO],
    ["enterprise", ENTERPRISE],
  ])("152: a %s key on the free host is 403 wrong_host", async (tier, key) => {
    const answer = await service.ask("/networks", { key, host: "free" });
    expect([refusal(answer), at(answer.body, "tier")]).toEqual(["403 wrong_host", tier]);
  });

  test("147, 155: an invalid key and the wrong host cost no credits", async () => {
    const key = "api_free_costs";
    const before = await service.ask("/usage", { key, host: "free" });
    await service.ask("/networks", { key, host: "paid" });
    await service.ask("/networks", { key: `Bearer ${key}`, host: "free" });
    const after = await service.ask("/usage", { key, host: "free" });
    const left = [before, after].map(({ headers }) => Number(headers["x-credits-remaining"]));
    expect(left).toEqual([99_999, 99_998]);
  });

  test("each distinct text after the tier is a separate account", async () => {
    await service.ask("/usage", { key: "api_dev_one" });
    await service.ask("/usage", { key: "api_dev_one" });
    const other = await service.ask("/usage", { key: "api_dev_two" });
    expect(other.headers["x-credits-remaining"]).toBe("499999");
  });

  test("223: responses have no version header", async () => {
    const { headers } = await service.ask("/networks");
    expect(Object.keys(headers).filter((name) => /version|deprecat|sunset/.test(name))).toEqual([]);
  });
});

contract("keys of the public service", { dialect: "public" }, (service) => {
  test("149, 153: without a key, every path of the paid host returns an HTML page", async () => {
    for (const path of ["/networks", "/usage", "/", "/nowhere"]) {
      const { status, headers, text } = await service.ask(path, { host: "paid" });
      expect({ path, status, type: headers["content-type"] }).toEqual({
        path,
        status: 403,
        type: "text/html",
      });
      expect(text).toMatch(/^<!DOCTYPE html>/);
    }
  });

  test("147: Bearer is stripped on the free REST host only", async () => {
    const free = await service.ask("/networks", { key: `Bearer ${FREE}`, host: "free" });
    const paid = await service.ask("/networks", { key: `Bearer ${PRO}` });
    expect([free.status, free.headers["x-api-plan"], paid.status]).toEqual([200, "free", 401]);
  });
});
