import { expect, test } from "vitest";
import { at, contract, keysOf, list, NOON, numbers, WETH, words } from "./service.ts";

const PATH = `/networks/ethereum/tokens/${WETH}`;
const WINDOWS = ["24h", "6h", "1h", "30m", "15m", "5m"];

contract("one token", {}, (service) => {
  test("26, 107: the record has the named fields", async () => {
    const { body } = await service.ask(PATH);
    expect(keysOf(body)).toEqual(
      words(
        "id name symbol chain decimals total_supply description website explorer added_at last_updated summary",
      ),
    );
    expect(body).toMatchObject({
      id: WETH,
      name: expect.any(String),
      symbol: "WETH",
      chain: "ethereum",
      decimals: 18,
      total_supply: expect.any(Number),
      description: expect.any(String),
      website: expect.any(String),
      explorer: expect.any(String),
      added_at: expect.stringMatching(/Z$/),
      last_updated: expect.stringMatching(/Z$/),
    });
  });

  test("27, 28: the summary has price, value, liquidity and six windows with singular counts", async () => {
    const summary = at((await service.ask(PATH)).body, "summary");
    expect(keysOf(summary)).toEqual(["price_usd", "fdv", "liquidity_usd", ...WINDOWS]);
    for (const window of WINDOWS) {
      expect(keysOf(at(summary, window))).toEqual(["volume", "volume_usd", "sell", "buy", "txns"]);
      const counts = ["sell", "buy", "txns"].map((name) => at(summary, `${window}.${name}`));
      expect(counts.every(Number.isInteger)).toBe(true);
    }
  });

  test("29: a total supply above 2^53 keeps every digit", async () => {
    const { text, body } = await service.ask(PATH);
    const digits = /"total_supply":(\d+)/.exec(text)?.[1] ?? "";
    expect(BigInt(digits)).toBeGreaterThan(2n ** 53n);
    expect(Number(digits)).toBe(at(body, "total_supply"));
  });

  test("32: the pool count in the search row matches pool search by token", async () => {
    const network = "tempo";
    const { body } = await service.ask(`/networks/${network}/tokens/search?limit=3`);
    for (const row of list(body, "results")) {
      const path = `/networks/${network}/pools/search?limit=100&token_address=${String(at(row, "address"))}`;
      const pools = await service.ask(path);
      const isWhole = at(pools.body, "has_next_page") === false;
      const found = list(pools.body, "results").length;
      if (isWhole) expect(found).toBe(at(row, "pools"));
      else expect(Number(at(row, "pools"))).toBeGreaterThan(100);
    }
  });

  test("31: a token's volumes are the sums over its pools, for every window and time", async () => {
    for (const later of [0, 3_600_000, 40_000_000]) {
      service.clock.now += later;
      const row = at((await service.ask("/networks/tempo/tokens/search?limit=1")).body, "results.0");
      const path = `/networks/tempo/pools/search?limit=100&token_address=${String(at(row, "address"))}`;
      const pools = (await service.ask(path)).body;
      for (const name of words("volume_usd_24h volume_usd_7d volume_usd_30d")) {
        const sum = numbers(pools, "results", name).reduce((total, volume) => total + volume, 0);
        expect(Number(at(row, name)) / sum).toBeCloseTo(1, 9);
      }
    }
    service.clock.now = NOON * 1000;
  });
});

contract("one token of the public service", { dialect: "public" }, (service) => {
  test("28: window counts have plural names", async () => {
    const window = at((await service.ask(PATH)).body, "summary.24h");
    expect(keysOf(window)).toEqual(
      words("volume volume_usd buy_usd sell_usd sells buys txns last_price_usd_change"),
    );
  });
});
