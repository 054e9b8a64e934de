import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { useSandbox } from "../harness/sandbox.ts";

const step = isLong ? 5 : 20;
const widths = Array.from({ length: 160 / step + 1 }, (_, index) => 40 + step * index);
const weth = "ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** Commands that print tables, as a terminal shows them. */
const tables = [
  "pools search ethereum",
  "pools search --chains ethereum,solana,sui",
  "tokens search ethereum",
  "tokens search ethereum --detailed",
  "tokens search --chains ethereum,solana,sui",
  "search weth",
  "search usdc --type pools",
  "search uniswap --type dexes",
  `txns ${pool} --limit 5`,
  `prices ${weth}`,
  `ohlcv ${weth} --count-back 5`,
  `ohlcv ${pool} --pool --count-back 5`,
  `pool ${pool.replace(" ", ":")} ethereum:0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b`,
  `token ${weth.replace(" ", ":")} ethereum:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48`,
  "networks",
  "dexes ethereum",
];

describe.each(["spec", "public"] as const)("tables of the dialect %s", (dialect) => {
  const sandbox = useSandbox({ dialect, requestsPerMinute: 100_000 });

  /** Several tests read the same screens. */
  const screens = new Map<string, string>();
  async function screenOf(words: string, columns: number): Promise<string> {
    const known = screens.get(`${words} ${columns}`);
    if (known !== undefined) return known;
    const options = { isTerminal: true, columns, env: { ...sandbox.env(), NO_COLOR: "1" } };
    const { exit, stdout } = await dexdata(`${words} -q`, options);
    expect(exit).toBe(0);
    screens.set(`${words} ${columns}`, stdout);
    return stdout;
  }

  /** The titles of each table, in order; a title may have spaces. */
  async function titles(words: string, columns: number): Promise<readonly (readonly string[])[]> {
    const stdout = await screenOf(words, columns);
    const lines = stdout.split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    return lines.filter((line) => /^[A-Z0-9 ]+$/u.test(line)).map((line) => line.trim().split(/ {2,}/u));
  }

  // The dialects differ in the members of these rows.
  const shown =
    dialect === "spec" ? tables : tables.filter((words) => /search (?:ethereum|weth)/u.test(words));
  test.each(shown)("%s: no column disappears when the terminal grows", async (words) => {
    let before = await titles(words, 40);
    expect(before.length).toBeGreaterThan(0);
    for (const columns of widths.slice(1)) {
      const now = await titles(words, columns);
      for (const [index, titlesBefore] of before.entries())
        expect({ columns, titles: now[index] }).toEqual({
          columns,
          titles: expect.arrayContaining([...titlesBefore]),
        });
      before = now;
    }
  });

  test.each(dialect === "spec" ? ["pools search ethereum", "tokens search ethereum"] : [])(
    "%s shows volume and liquidity before a complete address",
    async (words) => {
      for (const columns of widths) {
        const stdout = await screenOf(words, columns);
        if (/0x[\da-f]{40}/u.test(stdout)) expect(stdout).toMatch(/VOLUME 24H.*LIQUIDITY/u);
      }
    },
  );
});
