import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { type Row, rowsOf, toRow } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";

const sandbox = useSandbox();
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

const fetchRows = async (words: string): Promise<readonly Row[]> => {
  const { exit, stdout, stderr } = await dexdata(`${words} -o ndjson`, { env: sandbox.env() });
  expect({ words, exit, stderr }).toEqual({ words, exit: 0, stderr: "" });
  return rowsOf(stdout);
};

const fetchRow = async (words: string): Promise<Row> => {
  const [row] = await fetchRows(words);
  if (row === undefined) throw new Error(`no row: ${words}`);
  return row;
};

const inner = (row: Row, name: string): Row => toRow(JSON.stringify(row[name]));

/** The larger of the two sides in USD, as the sandbox values a swap; 0 if the service has no USD value. */
function volumeOf(row: Row, decimals: readonly number[]): number {
  const side = (index: 0 | 1): number =>
    (Math.abs(Number(row[`amount_${index}`])) / 10 ** (decimals[index] ?? 0)) *
    Number(row[`price_${index}_usd`] ?? 0);
  return Math.max(side(0), side(1));
}

const isSwap = (row: Row): boolean => Number(row["amount_0"]) * Number(row["amount_1"]) < 0;

describe("with a frozen clock, over HTTP and through the program", () => {
  // The busiest pool, one in the middle, and a quiet one.
  test.each([
    ["ethereum", 1],
    ["ethereum", 60],
    ["polygon", 20],
  ])("%s, pool %i: transactions, windows and candles agree", async (network, rank) => {
    const pools = await fetchRows(`pools search ${network} --order-by txns_24h --limit ${rank}`);
    const id = String(pools.at(-1)?.["id"]);
    const pool = await fetchRow(`pool ${network} ${id}`);
    // A window of 24 hours excludes its start, while `from` is inclusive.
    const from = new Date(sandboxNow - 86_400_000 + 1000).toISOString().replace(".000", "");
    const rows = await fetchRows(`txns ${network} ${id} --from ${from} --all`);
    const window = inner(pool, "24h");
    expect(rows.length).toBe(Number(window["txns"]));
    const swaps = rows.filter(isSwap);
    expect(swaps.length).toBe(Number(window["buys"]) + Number(window["sells"]));

    const tokens = toRow(`{"tokens":${JSON.stringify(pool["tokens"])}}`)["tokens"];
    const decimals = Array.isArray(tokens)
      ? tokens.map((token: unknown) => Number(toRow(JSON.stringify(token))["decimals"]))
      : [];
    const candles = await fetchRows(`ohlcv ${network} ${id} --pool --interval 1h --from ${from}`);
    expect(candles.length).toBeGreaterThan(0);
    for (const candle of candles.slice(1)) {
      const within = swaps.filter(({ created_at }) => {
        const time = Date.parse(String(created_at));
        return (
          time >= Date.parse(String(candle["time_open"])) && time < Date.parse(String(candle["time_close"]))
        );
      });
      const volume = within.reduce((sum, row) => sum + volumeOf(row, decimals), 0);
      expect(within.length).toBeGreaterThan(0);
      expect(Number(candle["volume"] ?? 0)).toBe(Math.round(volume));
    }
  });

  test("prices, token, pool and search show the same price", async () => {
    const price = (await fetchRow(`prices ethereum ${weth}`))["price_usd"];
    expect(inner(await fetchRow(`token ethereum ${weth}`), "summary")["price_usd"]).toBe(price);
    const [searched] = await fetchRows(`tokens search ethereum --limit 1`);
    expect(searched?.["address"]).toBe(weth);
    expect(searched?.["price_usd"]).toBe(price);
    const pools = await fetchRows(`pools search ethereum --token ${weth} --limit 30 --detailed`);
    const wethFirst = pools.find(
      ({ tokens }) => Array.isArray(tokens) && toRow(JSON.stringify(tokens[0]))["id"] === weth,
    );
    expect(wethFirst?.["price_usd"]).toBe(price);
    expect((await fetchRow(`pool ethereum ${String(wethFirst?.["id"])}`))["last_price_usd"]).toBe(price);
    const found = (await fetchRows("search weth --type tokens")).find(({ id }) => id === weth);
    expect(found?.["price_usd"]).toBe(price);
  });

  test("a year of daily candles and a page far in the past are complete", async () => {
    const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    const year = await fetchRows(`ohlcv ethereum ${pool} --pool --interval 24h --count-back 365`);
    expect(year.length).toBe(365);
    const page = await fetchRows(`txns ethereum ${pool} --to 2026-02-01 --limit 100`);
    expect(page.length).toBe(100);
  });
});
