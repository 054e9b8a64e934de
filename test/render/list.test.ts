import { isLong } from "../harness/long.ts";
import { anyCharacter, fc } from "../harness/properties.ts";
import { describe, expect, it } from "vitest";
import { textWidth } from "../../src/cli/render/values/width.ts";
import { forbiddenIn, render, renderWrites } from "./render.ts";
import { poolRows, transactionRows } from "./rows.ts";

describe("a list of pools", () => {
  it("shows the most important columns at 80 columns, with shortened addresses", async () => {
    expect(await render([poolRows], { endpoint: "network_pools_search", columns: 80 })).toBe(
      [
        "TOKEN 0                TOKEN 1  PRICE 0 USD  CHANGE 24H  VOLUME 24H  POOL",
        "WETH                   USDC        2,981.77      -1.23%        412M  0x88e6…5640",
        "PEPE                   WETH       0.0₅73451     +12.35%       12.3M  0xa43f…ec9f",
        "世界コイン and a nam…  WETH          1.0002                   <0.01  0x1d28…0be1",
        "",
      ].join("\n"),
    );
  });

  it("shortens the address before any measure is shown, and is ASCII without a UTF-8 locale", async () => {
    expect(
      await render([poolRows], { endpoint: "network_pools_search", columns: 40, isUnicode: false }),
    ).toBe(
      [
        "TOKEN 0             TOKEN 1  POOL",
        "WETH                USDC     0x88...5640",
        "PEPE                WETH     0xa4...ec9f",
        "\\u{4e16}...         WETH     0x1d...0be1",
        "",
      ].join("\n"),
    );
  });

  it("shows all columns in a pipe, with times as sent", async () => {
    const text = await render([poolRows], { endpoint: "network_pools_search" });
    expect(text.split("\n")).toEqual([
      "TOKEN 0                                   TOKEN 1  NETWORK   DEX           FEE   PRICE 0 USD  CHANGE 24H  VOLUME 24H  LIQUIDITY  TXNS 24H  CREATED               POOL",
      "WETH                                      USDC     ethereum  Uniswap V3  0.05%      2,981.77      -1.23%        412M       184M   268,772  2021-05-05T21:42:11Z  0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
      "PEPE                                      WETH     ethereum  Uniswap V2   0.3%  0.0000073451     +12.35%       12.3M      28.2M    18,772  2026-11-18T16:57:11Z  0xa43fe16908251ee70ef74718545e4fe6c5ccec9f",
      "世界コイン and a name that goes on and …  WETH     ethereum  SushiSwap                1.0002                   <0.01          0         2  2026-11-21T08:50:11Z  0x1d283807545a96bd50d0f019d6ca2ef62a9a0be1",
      "",
    ]);
  });

  it("colors changes and the header, and nothing else", async () => {
    const options = { endpoint: "network_pools_search", columns: 200, isColored: true } as const;
    const text = await render([poolRows], options);
    const plain = await render([poolRows], { ...options, isColored: false });
    // oxlint-disable-next-line no-control-regex
    expect(text.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain);
    expect(text).toContain("\u001b[31m-1.23%\u001b[39m");
    expect(text).toContain("\u001b[32m+12.35%\u001b[39m");
    expect(text.split("\u001b").length - 1).toBe(2 * (2 + 12));
  });
});

describe("a list", () => {
  it("marks amounts without known decimals as raw, with every digit", async () => {
    const text = await render([transactionRows], { endpoint: "pool_transactions", columns: 250 });
    expect(text).toContain("  4272800710322643001 raw WETH  ");
    expect(text).toContain("0x0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9");
    expect(text).toContain("53s ago");
  });

  it("counts the zeros of dust amounts as those of prices, so that they hide no column", async () => {
    const rows = `[{"amount_0":"5","amount_1":"-1","volume_0":5e-18,"volume_1":1.5,"token_0_symbol":"WETH","token_1_symbol":"USDC"}]`;
    expect(await render([rows], { endpoint: "pool_transactions", columns: 80 })).toContain(
      "+0.0₁₇50000 WETH  -1.5000 USDC",
    );
  });

  it("shows the other prices beside one that is too large to read", async () => {
    const row = (symbol: string, price: string) =>
      `{"address":"0x1d283807545a96bd50d0f019d6ca2ef62a9a0be1","symbol":"${symbol}","price_usd":${price}}`;
    const rows = `[${row("WETH", "2981.77")},${row("BROKEN", "1234567890123456789012345678901234567890")}]`;
    expect(await render([rows], { endpoint: "network_tokens_search", columns: 60 })).toBe(
      [
        "SYMBOL  PRICE USD  TOKEN",
        "WETH     2,981.77  0x1d28…0be1",
        "BROKEN  1.2346e39  0x1d28…0be1",
        "",
      ].join("\n"),
    );
  });

  it("identifies a candle by its opening time", async () => {
    const rows = `[{"time_open":"2026-11-21T08:00:00Z","open":1,"high":2.5,"low":0.25,"close":2,"volume":48213899}]`;
    expect(await render([rows], { endpoint: "token_ohlcv", columns: 80 })).toBe(
      "OPENS                   OPEN    HIGH      LOW   CLOSE  VOL USD\n" +
        "2026-11-21T08:00:00Z  1.0000  2.5000  0.25000  2.0000    48.2M\n",
    );
  });

  it("omits a column without values, and prints nothing without rows", async () => {
    expect(await render([`[{"id":"base","display_name":null}]`], { columns: 80 })).toBe("NETWORK\nbase\n");
    expect(await render(["[]"], { columns: 80 })).toBe("");
  });

  it("shows the given fields, including those without a value", async () => {
    const fields = ["tokens.0.symbol", "fee", "no.such", "tokens.*.symbol"];
    expect(await render([poolRows], { endpoint: "network_pools_search", columns: 200, fields })).toBe(
      [
        "tokens.0.symbol                              fee  no.such  tokens.*.symbol",
        "WETH                                       0.05%           WETH, USDC",
        "PEPE                                        0.3%           PEPE, WETH",
        "世界コイン and a name that goes on and on                  世界コイン and a name that goes on and on, WETH",
        "",
      ].join("\n"),
    );
  });

  it("keeps the digits of integers of any size", async () => {
    const rows = `[{"id":"base","a":12345678901234567890,"b":{"c":98765432109876543210}}]`;
    expect(await render([rows], { columns: 80, fields: ["a", "b.c"] })).toBe(
      "                   a                   b.c\n12345678901234567890  98765432109876543210\n",
    );
  });

  it("keeps the digits of prices above 2^53", async () => {
    const rows = `[{"id":"0x1","last_price_usd":12345678901234567.25},{"id":"0x2","last_price_usd":1.5e20}]`;
    expect(await render([rows], { columns: 80, fields: ["id", "last_price_usd"] })).toContain(
      "12,345,678,901,234,567.25",
    );
  });

  it("writes one page at a time, at the column widths of the first page", async () => {
    const pages = [`[{"id":"ethereum","txns_24h":1000}]`, `[{"id":"base","txns_24h":7}]`];
    expect(await renderWrites(pages, { columns: 80 })).toEqual([
      "NETWORK   TXNS 24H\nethereum     1,000\n",
      "base             7\n",
    ]);
  });

  it("buffers rows that arrive one per response, so that one table fits them all", async () => {
    const pages = [
      `[{"id":"0x1","last_price_usd":1}]`,
      `[{"id":"0x2","last_price_usd":95082.5}]`,
      `[{"id":"0x3","last_price_usd":12.5}]`,
    ];
    const options = { endpoint: "pool", columns: 80 } as const;
    expect(await renderWrites(pages, options)).toEqual([
      "PRICE 0 USD  POOL\n     1.0000  0x1\n  95,082.50  0x2\n    12.5000  0x3\n",
    ]);
    const many = Array.from({ length: 41 }, (_, index) => `[{"id":"0x${index}","last_price_usd":1}]`);
    expect((await renderWrites(many, options)).map((each) => each.split("\n").length - 1)).toEqual([41, 1]);
  });

  it("starts a new table if a later row would not fit", async () => {
    const pages = [
      `[{"id":"base","txns_24h":7}]`,
      `[{"id":"arbitrum_nova","txns_24h":7}]`,
      `[{"id":"base"}]`,
    ];
    expect(await renderWrites(pages, { columns: 80 })).toEqual([
      "NETWORK  TXNS 24H\nbase            7\n",
      "\nNETWORK        TXNS 24H\narbitrum_nova         7\n",
      "base\n",
    ]);
  });

  it("starts a new table when a column gets its first value, and keeps the earlier columns", async () => {
    const pages = [
      `[{"id":"base","txns_24h":7}]`,
      `[{"id":"celo","display_name":"Celo"}]`,
      `[{"id":"sei","txns_24h":9,"pools_count":1}]`,
    ];
    expect(await renderWrites(pages, { columns: 80 })).toEqual([
      "NETWORK  TXNS 24H\nbase            7\n",
      "\nNETWORK  NAME  TXNS 24H\ncelo     Celo\n",
      "\nNETWORK  NAME  TXNS 24H  POOLS\nsei                   9      1\n",
    ]);
  });

  it("continues if a new column does not fit", async () => {
    const pages = Array.from(
      { length: 3 },
      (_, n) => `[{"id":"a${n}"${n > 0 ? ',"display_name":"N"' : ""}}]`,
    );
    expect(await renderWrites(pages, { columns: 9 })).toEqual(["NETWORK\na0\n", "a1\n", "a2\n"]);
  });

  it("shows a value of the wrong type unchanged", async () => {
    const rows = `[{"id":7,"display_name":["a",{"b":[1e-7]}],"volume_usd_24h":"12,5","txns_24h":{},"pools_count":true}]`;
    expect(await render([rows], { columns: 80 })).toBe(
      "NETWORK  NAME                VOLUME 24H  TXNS 24H  POOLS\n" +
        '7        ["a",{"b":[1e-7]}]        12,5        {}    yes\n',
    );
  });

  it("prints each group under its name", async () => {
    const groups = ["tokens", "pools", "dexes"];
    const pages = [
      ["tokens", `[{"id":"0x1","symbol":"WETH","price_usd":1}]`],
      ["pools", "[]"],
      ["dexes", `[{"dex_id":"uniswap_v3","pools_count":12}]`],
    ] as const;
    const options = { endpoint: "search", columns: 80, groups } as const;
    expect(await render(pages, options)).toBe(
      "Tokens\nSYMBOL  PRICE USD  TOKEN\nWETH       1.0000  0x1\n\nDexes\nDEX         POOLS\nuniswap_v3     12\n",
    );
    expect(await render(pages, { ...options, groups: ["dexes"] })).toBe(
      "DEX         POOLS\nuniswap_v3     12\n",
    );
  });
});

describe("any rows", () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom("🚀", "世", "e\u0301", "\u202e", "\u001b", "\n", "👩‍👩‍👧", "❤️", "a", " ", "ش"),
    }),
    fc.string({ unit: fc.constantFrom("0", "a", "F"), minLength: 40, maxLength: 66 }),
  );
  const row = fc.record(
    {
      // A column that may be cut: an address alone is wider than a narrow terminal and is still shown in
      // full.
      symbol: hostile.map((text) => `S${text}`),
      name: hostile,
      chain: hostile,
      address: hostile,
      price_usd: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), hostile),
      price_change_percentage_24h: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      volume_usd_24h: fc.double({ noNaN: true, noDefaultInfinity: true }),
      txns_24h: fc.maxSafeInteger(),
      pools: fc.anything(),
    },
    { requiredKeys: ["symbol"] },
  );

  it("make lines that fit the terminal, aligned columns, and no forbidden byte", async () => {
    const pages = fc.array(fc.array(row, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        pages,
        fc.integer({ min: 20, max: 200 }),
        fc.boolean(),
        async (lists, columns, isUnicode) => {
          const texts = lists.map((list) => JSON.stringify(list));
          const writes = await renderWrites(texts, { endpoint: "tokens_search", columns, isUnicode });
          for (const text of writes) {
            expect(forbiddenIn(text)).toEqual([]);
            if (!isUnicode) expect(text).toMatch(/^[\n -~]*$/u);
            for (const line of text.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(columns);
          }
          const count = lists.reduce((sum, list) => sum + list.length, 0);
          expect(writes.join("").split("\n").length).toBeGreaterThan(count);
        },
      ),
      { numRuns: isLong ? 300 : 40 },
    );
  });

  it("with equal columns are lines of equal width", async () => {
    const equal = fc.record({
      symbol: hostile,
      name: hostile,
      price_usd: fc.double({ min: 0.001, max: 1e6, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(equal, { minLength: 2 }),
        fc.integer({ min: 40, max: 120 }),
        async (list, columns) => {
          const text = await render([JSON.stringify(list)], { endpoint: "tokens_search", columns });
          const widths = new Set(text.trimEnd().split("\n").map(textWidth));
          expect(widths.size).toBe(1);
        },
      ),
    );
  });
});
