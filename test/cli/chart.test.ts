import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { textWidth } from "../../src/cli/render/values/width.ts";
import { withoutColors } from "../gallery/readable-colors.ts";
import { answerCandles, type CandleService, utc } from "../harness/candle-service.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import type { TestContextOptions } from "../harness/test-context.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { empty, json, type Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: 1_000_000 });
const folder = temporaryFolder();

async function runCommand(script: Script, words: string, options: TestContextOptions = {}): Promise<Outcome> {
  const server = await serveInTest(script);
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
  return await dexdata(`${words} --rpm unlimited`, { env, ...options });
}

const weth = "ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

// 2026-11-21T08:00:00Z
const eight = 1_795_248_000;
const hour = 3600;

/** Prices rise and fall in turn; the volume grows. */
const row = (opens: number, interval: number): string => {
  const count = (opens - eight) / interval + 10;
  const [low, high] = [count, count + 2];
  const [open, close] = count % 2 === 0 ? [low, high] : [high, low];
  return `{"time_open":"${utc(opens)}","open":${open},"high":${high},"low":${low},"close":${close},"volume":${count * 100}}`;
};
const has = (opens: number): boolean => opens !== eight - 3 * hour;
const service: CandleService = { interval: hour, has, row };
const window = `--from ${eight - 5 * hour} --to ${eight + hour} --now 2026-11-21T08:54:00Z`;

describe("ohlcv --chart", () => {
  test("draws candles instead of rows, in a pipe too, leaves gaps empty, and marks partial candles", async () => {
    const { exit, stdout, stderr } = await runCommand(
      (request) => answerCandles(request, service),
      `ohlcv ethereum 0x0000000000000000000000000000000000000001 --chart ${window}`,
    );
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatchInlineSnapshot(`
      "ethereum:0x0000000000000000000000000000000000000001 · 1h candles · in USD
      2026-11-21 03:00 to 2026-11-21 09:00 UTC · * partial · ║ up ┃ down
      last 12.0000 · +71.43% · high 12.0000 · low 5.0000 · volume 3.80K USD
                     ║  ◂  12.0
                  ┃  ║  │
               ║  ┃  ║  ┤  10.0
               ║  ┃     │
               ║        │
         ║     ║        ┤   8.0
      ┃  ║              │
      ┃  ║              ┤   6.0
      ┃                 │
                        │
               ▃  ▆  █  ┤ 1.00K
      ▄  ▆     █  █  █  │   USD
      █  █     █  █  █  │
      ─────────┬─────*──┘
             06:00
      "
    `);
  });

  test.each([
    ["null", []],
    ["previous", ["╌  "]],
  ])("--fill %s: draws an interval without trades as the filled candle or as a gap", async (fill, cells) => {
    const { stdout } = await runCommand(
      (request) => answerCandles(request, service),
      `ohlcv ethereum 0x0000000000000000000000000000000000000001 --chart --fill ${fill} ${window}`,
    );
    const plot = stdout.split("\n").filter((line) => /[│┤◂]/u.test(line));
    const second = new Set(plot.map((line) => line.slice(6, 9)).filter((each) => each !== "   "));
    expect([...second]).toEqual(cells);
  });

  test.each([
    [80, 24],
    [120, 40],
    [200, 50],
    [40, 20],
    [20, 60],
  ])(
    "fits a terminal of %i columns and %i lines, with space for messages on stderr",
    async (columns, rows) => {
      const { exit, stdout } = await runCommand(
        (request) => answerCandles(request, { interval: 300, row }),
        `ohlcv ethereum 0x0000000000000000000000000000000000000001 --chart --interval 5m --from -3d`,
        { isTerminal: true, columns, rows },
      );
      const lines = withoutColors(stdout).trimEnd().split("\n");
      expect(exit).toBe(0);
      expect(stdout).toContain("\u001b[3");
      expect(lines.length).toBeLessThanOrEqual(rows - 4);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    },
  );

  test.each([
    ["a locale without UTF-8", { LANG: "C" }],
    ["the Linux console", { TERM: "linux" }],
    ["a dumb terminal", { TERM: "dumb" }],
  ])("uses only ASCII for %s", async (_, env) => {
    const { stdout } = await dexdata(`ohlcv ${weth} --chart`, { env: { ...sandbox.env(), ...env } });
    expect(stdout).toMatch(/^[ -~\n]+$/u);
    expect(stdout).toContain("O up # down");
  });

  test("draws a chart whatever output format is configured, and writes it to a file without color", async () => {
    const file = path.join(folder, "chart.txt");
    const env = { ...sandbox.env(), DEXDATA_OUTPUT: "json" };
    const { exit, stdout } = await dexdata(`ohlcv ${weth} --chart --out ${file}`, { env, isTerminal: true });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toMatch(/◂ 3,\d{3}/u);
    expect(readFileSync(file, "utf8")).not.toContain("\u001b");
  });

  test("names the tokens of a pool by their numbers if the symbols are unknown", async () => {
    const { stdout } = await dexdata(
      "ohlcv ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --pool --inversed --chart",
      { env: sandbox.env() },
    );
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      "ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 · 1h candles",
      "token 1 in token 0 · 2026-11-20 08:54 to 2026-11-21 08:54 UTC · * partial",
    ]);
  });

  test("prints nothing if there are no candles", async () => {
    const { exit, stdout } = await runCommand(
      () => json([]),
      `ohlcv ethereum 0x0000000000000000000000000000000000000001 --chart ${window}`,
    );
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
  });

  test("does not draw an incomplete time range, and suggests the same command again", async () => {
    const half: Script = (request, index) =>
      index === 0 ? answerCandles(request, { interval: hour, row }) : empty(501);
    const { exit, stdout, stderr } = await runCommand(
      half,
      `ohlcv ethereum 0x0000000000000000000000000000000000000001 --chart --from ${eight - 1500 * hour} --to ${eight} --parallel 1`,
    );
    expect({ exit, stdout }).toEqual({ exit: 7, stdout: "" });
    expect(stderr).toContain("1,000 rows fetched");
    expect(stderr).toMatch(/no chart was drawn; try again: dexdata ohlcv ethereum 0x0{39}1 .*--chart/u);
  });

  test.each([
    ["-o csv", "--chart cannot be used with --output csv: it requires --output table"],
    ["-o ndjson", "--chart cannot be used with --output ndjson: it requires --output table"],
    ["--fields close", "--chart cannot be used with --fields: a chart does not show columns"],
    ["--columns close", "--chart cannot be used with --columns: a chart does not show columns"],
    ["-o wide", "--chart cannot be used with --output wide: a chart does not show columns"],
    ["--no-header", "--chart cannot be used with --no-header: a chart does not show columns"],
    [
      "--out chart.txt --resume",
      "--chart cannot be used with --resume: a chart is drawn only after all candles have arrived",
    ],
    ["--watch 5s", "--chart and --watch can be used together only on a terminal"],
  ])("rejects %s with --chart", async (words, message) => {
    sandbox.takeLog();
    const { exit, stdout, stderr } = await dexdata(`ohlcv ${weth} --chart ${words}`, { env: sandbox.env() });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(sandbox.takeLog()).toEqual([]);
  });
});

const changes = (day: number | null, six: number | undefined, hourly: number, five: number): object => ({
  price_change_percentage_24h: day,
  ...(six !== undefined && { price_change_percentage_6h: six }),
  price_change_percentage_1h: hourly,
  price_change_percentage_5m: five,
});

describe("--spark", () => {
  const pool = (symbol: string, price: number | null, more: object): object => ({
    id: `0x${symbol}`,
    chain: "ethereum",
    price_usd: price,
    tokens: [{ id: "0x2", symbol }],
    ...more,
  });

  test("draws each price of a row below the label of its time, and leaves missing prices empty", async () => {
    const results = [
      // 50, 100, 200, 100, now 100
      pool("ALL", 100, changes(100, 0, -50, 0)),
      pool("GAPS", 100, changes(null, undefined, -50, 0)),
      pool("FELL", 100, changes(-100, 0, 0, 25)),
      pool("ONE", 100, {}),
      pool("NONE", null, changes(1, 1, 1, 1)),
    ];
    const { exit, stdout } = await runCommand(
      () => json({ results, has_next_page: false, next_cursor: null, query: { limit: 10 } }),
      "pools search ethereum --spark --no-strict",
    );
    expect(exit).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "TOKEN 0  NETWORK   PRICE 0 USD  CHANGE 5M  CHANGE 1H  CHANGE 6H  CHANGE 24H  24H 6H 1H 5M NOW  POOL
      ALL      ethereum     100.0000      0.00%    -50.00%      0.00%    +100.00%  ▁▁▁ ▃▃ ▇▇ ▃▃ ▃▃▃  0xALL
      GAPS     ethereum     100.0000      0.00%    -50.00%                                ▇▇ ▁▁ ▁▁▁  0xGAPS
      FELL     ethereum     100.0000    +25.00%      0.00%      0.00%    -100.00%      ▇▇ ▇▇ ▁▁ ▇▇▇  0xFELL
      ONE      ethereum     100.0000                                                                 0xONE
      NONE     ethereum                  +1.00%     +1.00%     +1.00%      +1.00%                    0xNONE
      "
    `);
  });

  test("reads the windows of tokens, and follows the symbol at 40 columns", async () => {
    const token = {
      chain: "ethereum",
      address: "0x1",
      symbol: "WETH",
      name: "Wrapped Ether",
      price_usd: 100,
      "24h": { last_price_usd_change: 100 },
      "6h": { last_price_usd_change: 0 },
      "1h": { last_price_usd_change: -50 },
    };
    const { exit, stdout } = await runCommand(
      () => json({ results: [token], has_next_page: false, next_cursor: null, query: { limit: 10 } }),
      "tokens search ethereum --spark --no-strict --color never",
      { isTerminal: true, columns: 40 },
    );
    expect(exit).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "SYMBOL  PRICE USD  24H 6H 1H 5M NOW
      WETH     100.0000  ▁▁▁ ▃▃ ▇▇    ▃▃▃
      "
    `);
  });

  test.each([
    [
      "pools search ethereum --spark -o json",
      "--spark cannot be used with --output json: it requires --output table",
    ],
    [`ohlcv ${weth} --spark`, String.raw`unknown flag --spark for \"dexdata ohlcv\"`],
    ["networks --spark", String.raw`unknown flag --spark for \"dexdata networks\"`],
    ["tokens search --chart", String.raw`unknown flag --chart for \"dexdata tokens search\"`],
  ])("rejects dexdata %s", async (words, message) => {
    const { exit, stdout, stderr } = await dexdata(words, { env: sandbox.env() });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});
