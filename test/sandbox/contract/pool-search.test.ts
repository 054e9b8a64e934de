import { expect, test } from "vitest";
import {
  allPages,
  at,
  column,
  contract,
  keysOf,
  list,
  refusal,
  type Service,
  USDC_WETH,
  WETH,
  words,
} from "./service.ts";

const PATH = "/networks/tempo/pools/search";

/** The field of a row that each order_by or filter refers to. */
const fields: Readonly<Record<string, string>> = {
  volume_usd_24h: "volume_usd_24h",
  volume_usd_7d: "volume_usd_7d",
  volume_usd_30d: "volume_usd_30d",
  liquidity_usd: "liquidity_usd",
  txns_24h: "transactions_24h",
  created_at: "created_at",
  price_usd: "price_usd",
  price_change_percentage_48h: "price_change_percentage_48h",
  price_change_percentage_24h: "price_change_percentage_24h",
  price_change_percentage_6h: "price_change_percentage_6h",
  price_change_percentage_1h: "price_change_percentage_1h",
  price_change_percentage_5m: "price_change_percentage_5m",
};

const ORDERS = Object.keys(fields);
const FILTERS = ORDERS.filter((name) => name !== "created_at");

function valueOf(row: unknown, order: string): number | null {
  const value = at(row, fields[order] ?? "");
  return typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : null;
}

async function values(service: Service, query: string, order: string): Promise<readonly (number | null)[]> {
  return (await allPages(service, `${PATH}?limit=100${query}`)).map((row) => valueOf(row, order));
}

contract("pool search", {}, (service) => {
  test("40, 41: rows are keyed by id and have named windows", async () => {
    const row = at((await service.ask(PATH)).body, "results.0");
    expect(keysOf(row)).toEqual(
      words(
        "id chain dex_id dex_name created_at created_at_block_number volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd transactions_24h price_usd price_change_percentage_5m price_change_percentage_1h price_change_percentage_6h price_change_percentage_24h price_change_percentage_48h fee tokens",
      ),
    );
  });

  test.each(ORDERS)("114, 108: order_by=%s sorts both ways", async (order) => {
    for (const [sort, sign] of [
      ["asc", 1],
      ["desc", -1],
    ] as const) {
      const sorted = await values(service, `&order_by=${order}&sort=${sort}`, order);
      const present = sorted.filter((value) => value !== null);
      expect(new Set(present).size).toBeGreaterThan(1);
      expect(present).toEqual(present.toSorted((a, b) => sign * (a - b)));
      // Rows without a value are last in both directions.
      expect(sorted.slice(present.length).every((value) => value === null)).toBe(true);
    }
  });

  test.each(["volume_usd", "price", "fdv_usd", "price_change_percentage_30m", "", "VOLUME_USD_24H"])(
    "115, 114, 185: order_by=%s is 400, and the message lists the twelve values",
    async (order) => {
      const answer = await service.ask(`${PATH}?order_by=${order}`);
      expect(refusal(answer)).toBe("400 invalid_param order_by");
      const listed = /\[(.*)\]/.exec(String(at(answer.body, "message")))?.[1]?.split(" ");
      expect(listed?.toSorted()).toEqual(ORDERS.toSorted());
    },
  );

  test.each(FILTERS)("109, 108, 95: %s filters by minimum and maximum, both inclusive", async (name) => {
    const all = (await values(service, "", name)).filter((value) => value !== null);
    const bound = all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
    const most = await values(service, `&${name}_max=${bound}`, name);
    const least = await values(service, `&${name}_min=${bound}`, name);
    expect(most).toHaveLength(all.filter((value) => value <= bound).length);
    expect(least).toHaveLength(all.filter((value) => value >= bound).length);
    expect(Math.min(most.length, least.length)).toBeGreaterThan(0);
  });

  test.each(FILTERS)("95: %s_min accepts numbers only", async (name) => {
    expect(refusal(await service.ask(`${PATH}?${name}_min=lots`))).toBe(`400 invalid_param ${name}_min`);
  });

  test("108: filters can be combined", async () => {
    const rows = await allPages(
      service,
      `${PATH}?limit=100&volume_usd_24h_min=100&txns_24h_max=50&liquidity_usd_min=1000`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(Number(at(row, "volume_usd_24h"))).toBeGreaterThanOrEqual(100);
      expect(Number(at(row, "transactions_24h"))).toBeLessThanOrEqual(50);
      expect(Number(at(row, "liquidity_usd"))).toBeGreaterThanOrEqual(1000);
    }
  });

  test("a minimum above the maximum returns no rows and is not an error", async () => {
    const { status, body } = await service.ask(`${PATH}?price_usd_min=2&price_usd_max=1`);
    expect([status, list(body, "results")]).toEqual([200, []]);
  });

  test("110, 111: dex_name accepts the ID in any letter case, but no display name", async () => {
    const path = "/networks/ethereum/pools/search";
    const lower = await service.ask(`${path}?dex_name=uniswap_v3`);
    const upper = await service.ask(`${path}?dex_name=UNISWAP_V3`);
    expect(new Set(column(lower.body, "results", "dex_id"))).toEqual(new Set(["uniswap_v3"]));
    expect(at(upper.body, "results")).toEqual(at(lower.body, "results"));
    const display = await service.ask(`${path}?dex_name=Uniswap%20V3`);
    expect([display.status, at(display.body, "results"), at(display.body, "query.dex_name")]).toEqual([
      200,
      [],
      "Uniswap V3",
    ]);
  });

  test("112: token_address selects the pools of a token; EVM addresses match in any letter case", async () => {
    const path = "/networks/ethereum/pools/search?limit=100&token_address=";
    const { body } = await service.ask(path + WETH);
    expect(column(body, "results", "id")).toContain(USDC_WETH);
    for (const tokens of column(body, "results", "tokens")) expect(column(tokens, "", "id")).toContain(WETH);
    const upper = await service.ask(`${path}0x${WETH.slice(2).toUpperCase()}`);
    expect(at(upper.body, "results")).toEqual(at(body, "results"));
  });

  test("112: an unknown token is 200 without rows", async () => {
    const { status, body } = await service.ask(`${PATH}?token_address=0x0`);
    expect([status, list(body, "results")]).toEqual([200, []]);
  });

  test("112: a search across networks ignores token_address like any unknown parameter", async () => {
    const plain = await service.ask("/pools/search?chains=tempo");
    expect((await service.ask("/pools/search?chains=tempo&token_address=0x0")).text).toBe(plain.text);
  });

  test("34: detailed tokens have names and windows", async () => {
    const plain = at((await service.ask(PATH)).body, "results.0.tokens.0");
    const detailed = at((await service.ask(`${PATH}?detailed=true`)).body, "results.0.tokens.0");
    expect(keysOf(plain)).toEqual(["id", "chain", "has_image"]);
    expect(keysOf(detailed)).toEqual(
      expect.arrayContaining(["name", "symbol", "decimals", "fdv", "24h", "1m"]),
    );
  });
});

contract("pool search of the public service", { dialect: "public" }, (service) => {
  test("114: rows have no 48-hour change, although order_by accepts it", async () => {
    const { status, body } = await service.ask(`${PATH}?order_by=price_change_percentage_48h`);
    expect(status).toBe(200);
    expect(keysOf(at(body, "results.0"))).not.toContain("price_change_percentage_48h");
  });
});
