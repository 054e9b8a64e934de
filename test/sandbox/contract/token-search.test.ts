import { expect, test } from "vitest";
import { allPages, at, contract, keysOf, refusal, type Service, words } from "./service.ts";

const PATH = "/networks/tempo/tokens/search";
const ORDERS = words(
  "volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd txns_24h price_change_percentage_24h created_at fdv_usd",
);
const FILTERS = [...ORDERS.filter((name) => name !== "created_at"), "price_usd"];
const PLAIN = words(
  "chain address price_usd price_change_percentage_24h volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd fdv_usd txns_24h created_at",
);

async function values(service: Service, query: string, field: string): Promise<readonly (number | null)[]> {
  const rows = await allPages(service, `${PATH}?limit=100${query}`);
  return rows.map((row) => {
    const value = at(row, field);
    return typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : null;
  });
}

contract("token search", {}, (service) => {
  test("30, 31, 32: rows are keyed by address and have the specified fields", async () => {
    const row = at((await service.ask(PATH)).body, "results.0");
    expect(keysOf(row)).toEqual([...PLAIN, "name", "symbol", "decimals", "pools", "has_image"]);
    expect(row).toMatchObject({
      chain: "tempo",
      address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      name: expect.any(String),
      symbol: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
      has_image: expect.any(Boolean),
      pools: expect.any(Number),
      txns_24h: expect.any(Number),
    });
  });

  test("33, 34: detailed rows add seven windows", async () => {
    const row = at((await service.ask(`${PATH}?detailed=true`)).body, "results.0");
    for (const window of ["24h", "6h", "1h", "30m", "15m", "5m", "1m"]) {
      expect(keysOf(at(row, window))).toEqual([
        "volume_usd",
        "buys",
        "sells",
        "txns",
        "last_price_usd_change",
      ]);
    }
    expect(keysOf(row)).toEqual(expect.arrayContaining(["total_supply", "website", "explorer"]));
  });

  test.each(ORDERS)("90: order_by=%s sorts both ways", async (order) => {
    for (const [sort, sign] of [
      ["asc", 1],
      ["desc", -1],
    ] as const) {
      const sorted = await values(service, `&order_by=${order}&sort=${sort}`, order);
      const present = sorted.filter((value) => value !== null);
      expect(new Set(present).size).toBeGreaterThan(1);
      expect(present).toEqual(present.toSorted((a, b) => sign * (a - b)));
      expect(sorted.slice(present.length).every((value) => value === null)).toBe(true);
    }
  });

  test.each([
    ["91", "price_usd"],
    ["92", "price_change_percentage_48h"],
    ["92", "price_change_percentage_6h"],
    ["92", "price_change_percentage_1h"],
    ["92", "price_change_percentage_5m"],
    ["90", "volume_usd"],
  ])("%s, 185: order_by=%s is 400, and the message lists the eight values", async (_rule, order) => {
    const answer = await service.ask(`${PATH}?order_by=${order}`);
    expect(refusal(answer)).toBe("400 invalid_param order_by");
    const listed = /\[(.*)\]/.exec(String(at(answer.body, "message")))?.[1]?.split(" ");
    expect(listed?.toSorted()).toEqual(ORDERS.toSorted());
  });

  test.each(FILTERS)("95: %s filters by minimum and maximum, both inclusive", async (name) => {
    const all = (await values(service, "", name)).filter((value) => value !== null);
    const bound = all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
    const most = await values(service, `&${name}_max=${bound}`, name);
    const least = await values(service, `&${name}_min=${bound}`, name);
    expect(most).toHaveLength(all.filter((value) => value <= bound).length);
    expect(least).toHaveLength(all.filter((value) => value >= bound).length);
  });

  test.each(FILTERS)("95: %s_max accepts numbers only", async (name) => {
    expect(refusal(await service.ask(`${PATH}?${name}_max=lots`))).toBe(`400 invalid_param ${name}_max`);
  });

  test("92: filters of pool search are ignored", async () => {
    const plain = await service.ask(PATH);
    const query = "price_change_percentage_6h_min=1000&dex_name=nothing&token_address=0x0";
    expect((await service.ask(`${PATH}?${query}`)).text).toBe(plain.text);
  });
});

contract("token search of the public service", { dialect: "public" }, (service) => {
  test("31: plain rows have neither names nor counts, detailed ones do", async () => {
    expect(keysOf(at((await service.ask(PATH)).body, "results.0"))).toEqual(PLAIN);
    const detailed = at((await service.ask(`${PATH}?detailed=true`)).body, "results.0");
    expect(keysOf(detailed)).toEqual(expect.arrayContaining(["name", "symbol", "pools", "24h"]));
  });
});
