import { expect, test } from "vitest";
import { at, column, contract, keysOf, list, refusal, USDC_WETH, WETH, words } from "./service.ts";

const DEXES = "/networks/ethereum/dexes";

contract("dexes", {}, (service) => {
  test("42, 52, 106: the response has pages, and rows have dex_id and dex_name", async () => {
    const { body } = await service.ask(DEXES);
    expect(keysOf(body)).toEqual(["dexes", "page_info"]);
    expect(list(body, "dexes")).toHaveLength(10);
    expect(keysOf(at(body, "dexes.0"))).toEqual(
      words("chain dex_id dex_name protocol volume_usd_24h txns_24h pools_count"),
    );
    expect(at(body, "page_info.page")).toBe(1);
  });

  test("106: the pages partition the list", async () => {
    const whole = column((await service.ask(`${DEXES}?limit=100`)).body, "dexes", "dex_id");
    const total = at((await service.ask(`${DEXES}?limit=5`)).body, "page_info.total_items");
    const pages: unknown[] = [];
    for (let page = 1; page <= Math.ceil(whole.length / 5); page++) {
      const { body } = await service.ask(`${DEXES}?limit=5&page=${page}`);
      expect(at(body, "page_info")).toMatchObject({
        page,
        limit: 5,
        total_pages: Math.ceil(whole.length / 5),
      });
      pages.push(...column(body, "dexes", "dex_id"));
    }
    expect([pages, total]).toEqual([whole, new Set(whole).size]);
    expect(list((await service.ask(`${DEXES}?page=1000`)).body, "dexes")).toEqual([]);
  });

  test("53: page 0 is page 1", async () => {
    expect((await service.ask(`${DEXES}?page=0`)).text).toBe((await service.ask(DEXES)).text);
  });

  test("sort reverses the list", async () => {
    const down = column((await service.ask(`${DEXES}?limit=100&order_by=pool`)).body, "dexes", "pools_count");
    const up = column((await service.ask(`${DEXES}?limit=100&sort=asc`)).body, "dexes", "pools_count");
    expect(up).toEqual(down.toReversed());
    expect(down).toEqual(down.toSorted((a, b) => Number(b) - Number(a)));
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["page=-1", "page"],
    ["page=1001", "page"],
    ["page=x", "page"],
    ["order_by=volume", "order_by"],
    ["sort=up", "sort"],
  ])("54, 184: %s is 400", async (query, param) => {
    expect(refusal(await service.ask(`${DEXES}?${query}`))).toBe(`400 invalid_param ${param}`);
  });

  test("the counts match pool search", async () => {
    const { body } = await service.ask("/networks/tempo/dexes?limit=100");
    for (const row of list(body, "dexes")) {
      const path = `/networks/tempo/pools/search?limit=100&dex_name=${String(at(row, "dex_id"))}`;
      expect(list((await service.ask(path)).body, "results")).toHaveLength(Number(at(row, "pools_count")));
    }
  });
});

contract("dexes of the public service", { dialect: "public" }, (service) => {
  test("106: every page holds all networks, with totals of 0", async () => {
    const { body } = await service.ask(`${DEXES}?limit=5&page=3`);
    expect(list(body, "dexes").length).toBeGreaterThan(5);
    expect(at(body, "page_info")).toMatchObject({ page: 0, total_items: 0, total_pages: 0 });
  });
});

contract("global search", {}, (service) => {
  test("102: query is required and must not be empty", async () => {
    expect(refusal(await service.ask("/search"))).toBe("400 missing_param query");
    expect(refusal(await service.ask("/search?query="))).toBe("400 invalid_param query");
    expect(refusal(await service.ask("/search?query=%20"))).toBe("400 invalid_param query");
  });

  test("36, 104: there are always three groups, empty for unknown or generic queries", async () => {
    for (const query of ["no such thing anywhere", "token", "a"]) {
      const { status, text } = await service.ask(`/search?query=${encodeURIComponent(query)}`);
      expect([status, text]).toEqual([200, '{"tokens":[],"pools":[],"dexes":[]}']);
    }
  });

  test("103: search ignores letter case in symbols and addresses", async () => {
    const lower = await service.ask("/search?query=weth");
    expect((await service.ask("/search?query=WETH")).text).toBe(lower.text);
    const address = await service.ask(`/search?query=${WETH}`);
    const shouted = await service.ask(`/search?query=${WETH.toUpperCase()}`);
    expect(column(address.body, "tokens", "id")).toEqual([WETH]);
    expect(shouted.text).toBe(address.text);
  });

  test("103: search finds a pool by address, a token by name, a DEX by either name", async () => {
    const pool = await service.ask(`/search?query=${USDC_WETH}`);
    expect(column(pool.body, "pools", "id")).toEqual([USDC_WETH]);
    const name = String(at((await service.ask(`/networks/ethereum/tokens/${WETH}`)).body, "name"));
    const token = await service.ask(`/search?query=${encodeURIComponent(name)}`);
    expect(new Set(column(token.body, "tokens", "name"))).toContain(name);
    for (const query of ["uniswap_v3", "Uniswap%20V3"]) {
      expect(column((await service.ask(`/search?query=${query}`)).body, "dexes", "dex_id")).toContain(
        "uniswap_v3",
      );
    }
  });

  test("37: tokens have the ten fields", async () => {
    const row = at((await service.ask("/search?query=weth")).body, "tokens.0");
    expect(keysOf(row)).toEqual(
      expect.arrayContaining(
        words("id name symbol chain decimals total_supply fdv description website explorer"),
      ),
    );
  });

  test("38: pools use the field names of search only, with full tokens", async () => {
    const row = at((await service.ask("/search?query=weth")).body, "pools.0");
    expect(keysOf(row)).toEqual(
      words(
        "id dex_id dex_name chain created_at_block_number created_at volume_usd transactions price_usd last_price_change_usd_5m last_price_change_usd_1h last_price_change_usd_24h tokens",
      ),
    );
    expect(keysOf(at(row, "tokens.0"))).toEqual(
      words("id name symbol chain decimals total_supply description website explorer added_at"),
    );
  });

  test("39: DEXes have dex_id and dex_name", async () => {
    const { body } = await service.ask("/search?query=uniswap");
    expect(list(body, "dexes").length).toBeGreaterThan(0);
    expect(keysOf(at(body, "dexes.0"))).toEqual(expect.arrayContaining(["dex_id", "dex_name", "chain"]));
  });
});
