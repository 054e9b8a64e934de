import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const sandbox = useSandbox();
const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const weth = "ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

const see = (words: string, columns = 80, env: Readonly<Record<string, string>> = {}) =>
  dexdata(words, { isTerminal: true, columns, env: { ...sandbox.env(), NO_COLOR: "1", ...env } });

describe("addresses", () => {
  test.each([40, 80, 200])("are in every list of pools and tokens at %d columns", async (columns) => {
    for (const words of ["pools search ethereum", "tokens search ethereum", "prices", "search weth"]) {
      const list = words === "prices" ? `prices ${weth}` : words;
      const { stdout } = await see(`${list} -q`, columns);
      expect(stdout).toMatch(/0x[\da-f]{4}(?:…[\da-f]{4}|[\da-f]{36})$/mu);
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  test("one long ID is shortened, and the others stay complete where they fit", async () => {
    const row = (id: string) => ({ id, chain: "ethereum", volume_usd_24h: 1 });
    const [short, long] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(32)}`];
    const server = await serveInTest(() => json({ results: [row(short), row(long)], has_next_page: false }));
    const { stdout } = await dexdata("pools search ethereum -q", {
      isTerminal: true,
      columns: 64,
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect(stdout).toContain(short);
    expect(stdout).toContain("0xb2b2…b2b2");
  });

  test("are complete with -o wide, --columns and in pipes", async () => {
    for (const words of ["-o wide", "--columns pool"])
      expect((await see(`pools search ethereum --limit 1 -q ${words}`)).stdout).toMatch(/0x[\da-f]{40}\n$/u);
    const piped = await dexdata("pools search ethereum --limit 1 -o table", { env: sandbox.env() });
    expect(piped.stdout).toMatch(/0x[\da-f]{40}\n$/u);
  });
});

describe("prices", () => {
  test("of a pool name its token in the heading", async () => {
    expect((await see("pools search ethereum -q")).stdout).toContain("PRICE 0 USD");
    expect((await see(`txns ${pool} -q`, 120)).stdout).toMatch(/PRICE 0 USD {2}PRICE 1 USD/u);
  });

  test("of candles are named below the table and in the chart", async () => {
    const candles = await see(`ohlcv ${pool} --pool --count-back 2`);
    expect(candles.stderr).toContain("1h candles; prices of USDC in WETH (for the inverse: --inversed)\n");
    const inversed = await see(`ohlcv ${pool} --pool --inversed --chart`);
    expect(inversed.stdout).toContain("WETH in USDC");
    expect((await see(`ohlcv ${weth} --count-back 2`)).stderr).toContain("1h candles; prices in USD\n");
  });

  test("below each other have the same places", async () => {
    const { stdout } = await see(`ohlcv ${weth} --from -5h -q`, 120);
    const closes = stdout
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split(/\s+/u)[4] ?? "");
    expect(new Set(closes.map((text) => text.split(".")[1]?.length))).toEqual(new Set([2]));
  });
});

test("a remark on candles counts the intervals without trades", async () => {
  const quiet = "ethereum 0x25a2002fdf8e3f706305ec1c864f85d224612179";
  const words = `ohlcv ${quiet} --interval 5m --from -2h`;
  const { stdout, stderr } = await see(words);
  const rows = stdout.trimEnd().split("\n").length - 1;
  expect(rows).toBeLessThan(24);
  expect(stderr).toContain(`${24 - rows} of 24 intervals had no trades; --fill null shows them\n`);
  expect((await see(`${words} --fill null`)).stderr).not.toContain("had no trades");
  expect((await see(`${words} -o ndjson`)).stderr).not.toContain("had no trades");
});

test("a raw supply is scaled, and its digits follow", async () => {
  const { stdout } = await see(`token ${weth} -q`);
  expect(stdout).toMatch(/^total_supply +[\d,]+\.\d\d \(raw \d{20,}\)$/mu);
});

test("remarks are dim on a terminal with color, and data is not", async () => {
  const options = { isTerminal: { stderr: true }, env: { ...sandbox.env(), TERM: "xterm" } };
  const { stdout, stderr } = await dexdata("networks --limit 1 -o ndjson --progress none", options);
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  expect([last.startsWith("\u001B[2m1 request, "), last.endsWith("\u001B[22m")]).toEqual([true, true]);
  expect(stdout).not.toContain("\u001B");
  for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
    const plain = await dexdata("networks --limit 1 -o ndjson --progress none", {
      ...options,
      env: { ...options.env, ...env },
    });
    expect(plain.stderr).not.toContain("\u001B");
  }
});
