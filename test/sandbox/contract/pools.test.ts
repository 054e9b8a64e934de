import { expect, test } from "vitest";
import { at, contract, DAY, keysOf, list, NOON, refusal, USDC, USDC_WETH, WETH, words } from "./service.ts";

const POOL = `/networks/ethereum/pools/${USDC_WETH}`;
const WINDOWS = ["24h", "6h", "1h", "30m", "15m", "5m"];

contract("one pool", {}, (service) => {
  test("20, 21, 24: the record has the specified fields and no extra windows", async () => {
    expect(keysOf((await service.ask(POOL)).body).toSorted()).toEqual(
      [
        ...words("id chain factory_id dex_id dex_name created_at_block_number fee created_at"),
        ...words("tokens last_price last_price_usd price_time last_updated"),
        ...words("base_token_id quote_token_id"),
        ...WINDOWS,
      ].toSorted(),
    );
  });

  test("20: the fields have the types of the specification", async () => {
    expect((await service.ask(POOL)).body).toMatchObject({
      id: USDC_WETH,
      chain: "ethereum",
      factory_id: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      dex_id: "uniswap_v3",
      dex_name: "Uniswap V3",
      created_at_block_number: expect.any(Number),
      fee: 0.05,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      last_price: expect.any(Number),
      last_price_usd: expect.any(Number),
      price_time: expect.stringMatching(/Z$/),
      last_updated: expect.stringMatching(/Z$/),
      base_token_id: USDC,
      quote_token_id: WETH,
    });
  });

  test.each(WINDOWS)("22: the %s window matches the transactions", async (window) => {
    const { body } = await service.ask(POOL);
    expect(keysOf(at(body, window))).toEqual(
      words("last_price_usd_change volume_usd sell_usd buy_usd sells buys txns"),
    );
    const [sells, buys, txns] = ["sells", "buys", "txns"].map((name) =>
      Number(at(body, `${window}.${name}`)),
    );
    expect([sells, buys, txns].every(Number.isInteger)).toBe(true);
    const from = window === "24h" ? "-86399s" : `-${seconds(window) - 1}s`;
    const page = await service.ask(`${POOL}/transactions?limit=1&from=${from}`);
    expect(at(page.body, "page_info.total_items")).toBe(txns);
    expect(Number(sells) + Number(buys)).toBeLessThanOrEqual(Number(txns));
  });

  test("23: a pool token has its seven fields", async () => {
    const tokens = list((await service.ask(POOL)).body, "tokens");
    expect(tokens.map(keysOf)).toEqual([TOKEN_FIELDS, TOKEN_FIELDS]);
    expect(tokens[0]).toMatchObject({ id: USDC, symbol: "USDC", chain: "ethereum", decimals: 6 });
  });

  test("6, 25: responses change only with the clock, and last_updated is the time of the newest transaction", async () => {
    const first = await service.ask(POOL);
    expect((await service.ask(POOL)).text).toBe(first.text);
    service.clock.now += 3_600_000;
    const later = await service.ask(POOL);
    const page = await service.ask(`${POOL}/transactions?limit=1`);
    service.clock.now = NOON * 1000;
    expect(instant(later.body, "price_time")).toBeGreaterThan(instant(first.body, "price_time"));
    expect(instant(later.body, "last_updated")).toBe(instant(page.body, "transactions.0.created_at"));
  });

  test("25: last_updated does not change while the pool has no transactions", async () => {
    const quiet = (await service.ask("/networks/fantom/pools/search?order_by=txns_24h&sort=asc&limit=1"))
      .body;
    const path = `/networks/fantom/pools/${String(at(quiet, "results.0.id"))}`;
    const before = at((await service.ask(path)).body, "last_updated");
    service.clock.now += 1000;
    const after = at((await service.ask(path)).body, "last_updated");
    service.clock.now = NOON * 1000;
    expect(after).toBe(before);
  });

  test("100: inversed inverts price and ratio and leaves USD amounts unchanged", async () => {
    const plain = (await service.ask(POOL)).body;
    const inverse = (await service.ask(`${POOL}?inversed=true`)).body;
    expect(at(inverse, "last_price")).toBe(1 / Number(at(plain, "last_price")));
    expect([at(inverse, "base_token_id"), at(inverse, "quote_token_id")]).toEqual([WETH, USDC]);
    expect(at(inverse, "24h.volume_usd")).toBe(at(plain, "24h.volume_usd"));
  });

  test.each(["inversed=false", "inversed=0", "nothing=1", "inversed=false&inversed=true"])(
    "100: %s is the default",
    async (query) => {
      expect((await service.ask(`${POOL}?${query}`)).text).toBe((await service.ask(POOL)).text);
    },
  );

  test.each(["maybe", "", "TRUE", "2"])("101: inversed=%s is 400", async (value) => {
    expect(refusal(await service.ask(`${POOL}?inversed=${value}`))).toBe("400 invalid_param inversed");
  });

  test("a pool is not found before its creation", async () => {
    service.clock.now = (NOON - 20_000 * DAY) * 1000;
    const answer = await service.ask(POOL);
    service.clock.now = NOON * 1000;
    expect(refusal(answer)).toBe("404 not_found pool");
  });
});

contract("coherence", {}, (service) => {
  test("27: token, its search row, search and prices show the same price", async () => {
    const row = at((await service.ask("/networks/tempo/tokens/search?limit=1")).body, "results.0");
    const address = String(at(row, "address"));
    const prices = await service.ask(`/networks/tempo/multi/prices?tokens=${address}`);
    const token = await service.ask(`/networks/tempo/tokens/${address}`);
    const found = await service.ask(`/search?query=${address}`);
    expect([
      at(prices.body, "0.price_usd"),
      at(token.body, "summary.price_usd"),
      at(found.body, "tokens.0.price_usd"),
    ]).toEqual(Array.from({ length: 3 }, () => at(row, "price_usd")));
  });

  test("pool detail and its search row match", async () => {
    const pool = (await service.ask(POOL)).body;
    const row = at((await service.ask(`/networks/ethereum/pools/search?limit=1`)).body, "results.0");
    expect([
      at(row, "id"),
      at(row, "price_usd"),
      at(row, "volume_usd_24h"),
      at(row, "transactions_24h"),
    ]).toEqual([USDC_WETH, at(pool, "last_price_usd"), at(pool, "24h.volume_usd"), at(pool, "24h.txns")]);
  });
});

const TOKEN_FIELDS = ["id", "name", "symbol", "chain", "decimals", "added_at", "fdv"];

function seconds(window: string): number {
  return Number.parseInt(window, 10) * (window.endsWith("h") ? 3600 : 60);
}

function instant(body: unknown, path: string): number {
  return Date.parse(String(at(body, path)));
}
