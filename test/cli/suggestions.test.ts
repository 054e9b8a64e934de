import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { hasFlag } from "../../src/cli/commands/command.ts";
import { inSandbox } from "../../src/cli/run/report.ts";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });

const POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

const run = async (words: string) =>
  await dexdata(`${words} --error-format text`, { env: sandbox.env(), now: sandboxNow });

describe("a hint names what was meant", () => {
  test.each([
    [`ohlcv ethereum ${WETH} --interval 1D`, "24h"],
    [`ohlcv ethereum ${WETH} --interval 60m`, "1h"],
    [`ohlcv ethereum ${WETH} --interval 60s`, "1m"],
    [`ohlcv ethereum ${WETH} --interval 3h`, "4h"],
    [`ohlcv ethereum ${WETH} --interval 7d`, "1w"],
    [`ohlcv ethereum ${WETH} --interval daily`, "24h"],
    [`ohlcv ethereum ${WETH} --interval hourly`, "1h"],
    [`ohlcv ethereum ${WETH} --interval weekly`, "1w"],
    [`ohlcv ethereum ${WETH} --interval 5min`, "5m"],
    [`ohlcv ethereum ${WETH} --interval 12hours`, "12h"],
    [`ohlcv ethereum ${WETH} --interval D1`, "24h"],
    [`stream ethereum:${WETH} --feed candles`, "ohlcv"],
    [`stream ethereum:${WETH} --feed trades`, "transactions"],
    ["tokens search ethereum --order-by tvl", "liquidity_usd"],
    ["tokens search ethereum --order-by volume", "volume_usd_24h"],
    ["tokens search ethereum --order-by market-cap", "fdv_usd"],
    ["pools search ethereum --order-by newest", "created_at"],
    ["pools search ethereum --order-by swaps", "txns_24h"],
    ["pools search ethereum --sort descending", "desc"],
    ["pools search ethereum --sort volume", "--order-by volume_usd_24h"],
    ["tokens search ethereum --sort newest", "--order-by created_at"],
    ["tokens search ethereum --order-by desc", "--sort desc"],
    ["networks --color false", "never"],
    ["networks --progress off", "none"],
    ["networks -o excel", "csv"],
    [`prices ethereum ${WETH} --missing ignore`, "skip"],
    ["schema trades", "transaction"],
    ["tokens search ethereum --watch 5s --when tvl>5", "liquidity_usd"],
    [`txns ethereum ${POOL} --since -1h`, "--from"],
    [`txns ethereum ${POOL} --before now`, "--to"],
    [`ohlcv ethereum ${WETH} --limit 5`, "--count-back"],
    [`ohlcv ethereum ${WETH} --since -1h`, "--from"],
  ])("%s: %s", async (words, meant) => {
    sandbox.takeLog();
    const { exit, stderr } = await run(words);
    expect({ exit, hint: stderr.split("\n")[1] }).toEqual({
      exit: 2,
      hint: `  hint: did you mean ${meant}?`,
    });
    expect(sandbox.takeLog()).toEqual([]);
  });

  test("tokens cannot be sorted by price, under either name", async () => {
    for (const order of ["price", "price_usd"])
      expect((await run(`tokens search ethereum --order-by ${order}`)).stderr).toContain(
        `--order-by "${order}": the service cannot sort tokens by price; `,
      );
  });

  test.each(["monthly", "1M", "1mo", "1 month", "60"])(
    "--interval %s has no near interval",
    async (typed) => {
      const words = ["ohlcv", "ethereum", WETH, "--interval", typed, "--error-format", "text"];
      const { stderr } = await dexdata(words, { env: sandbox.env() });
      expect(stderr).toMatch(/^error: invalid --interval ".*": must be one of .*\n$/u);
    },
  );

  test.each([
    [`stream ethereum:${POOL}`, "for a pool, use --feed transactions (dev plan); find an address: "],
    [`stream ethereum:${WETH} --feed transactions`, "for a token, use --by token; find an address: "],
  ])("%s: %s", async (words, hint) => {
    const { exit, stderr } = await run(words);
    expect(exit).toBe(2);
    expect(stderr).toContain(`  hint: ${hint}dexdata search <name>; `);
  });

  test("an address of the other kind: the hint names a command or flag for it", async () => {
    const poolsOf = `dexdata pools search ethereum --token ${WETH}`;
    for (const [words, hint] of [
      [`ohlcv ethereum ${POOL}`, "for candles of a pool, add --pool; search all networks: "],
      [`ohlcv ethereum ${WETH} --pool`, "for candles of a token, leave out --pool; search all networks: "],
      [`token ethereum ${POOL}`, `for a pool, use: dexdata pool ethereum ${POOL}; search all networks: `],
      [`txns ethereum ${WETH}`, `for a token, list its pools: ${poolsOf}; search all networks: `],
      [`pool ethereum ${WETH}`, `for a token, list its pools: ${poolsOf}; search all networks: `],
    ] as const) {
      const { exit, stderr } = await run(words);
      expect(exit).toBe(3);
      expect(stderr).toContain(`  hint: ${hint}dexdata search 0x`);
    }
  });

  test.each(allCommands.filter((command) => hasFlag(command, "sandbox")))(
    "a hint with dexdata $words sends nothing to the service after a run in the sandbox",
    ({ words }) => {
      expect(inSandbox(`look it up: dexdata ${words} x; try again`)).toBe(
        `look it up: dexdata ${words} x --sandbox; try again`,
      );
    },
  );

  test("every command in a hint has --sandbox if it was typed", async () => {
    for (const [words, hint] of [
      [
        `pool ethereum ${WETH}`,
        `for a token, list its pools: dexdata pools search ethereum --token ${WETH} --sandbox; search all networks: dexdata search ${WETH} --sandbox`,
      ],
      [
        "prices ethereum 0x12",
        "copy the complete address, or find it by name: dexdata search <name> --sandbox",
      ],
      ["pools search ethereum --dex zzzz", "list them: dexdata dexes ethereum --all --sandbox"],
      // An asset can be meant by <network>, but not by --chains.
      ["pools search --chains base,zzzz", "list all networks: dexdata networks --sandbox"],
      ["stream", "usage: dexdata stream <network:address…|<network> <address…>|@file|->"],
      ["pools search --zzzz", "see: dexdata pools search --help"],
    ] as const) {
      const { stderr } = await dexdata(`${words} --sandbox --error-format text`);
      expect(stderr.endsWith(`${hint}\n`) ? hint : stderr).toBe(hint);
      const asJson = await dexdata(`${words} --sandbox --error-format json`);
      if (asJson.exit !== 0) expect(toRow(asJson.stderr)["next"]).toBe(hint);
    }
  });

  test("version is a command, too", async () => {
    const { exit, stdout } = await dexdata("version");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: (await dexdata("--version")).stdout });
    expect(stdout).toMatch(/^dexdata \d/u);
  });
});

describe("search --limit", () => {
  test("cuts each group", async () => {
    const all = rowsOf((await run("search usdc -o ndjson")).stdout);
    const cut = rowsOf((await run("search usdc --limit 2 -o ndjson")).stdout);
    const first = (group: string) => all.filter((row) => row["group"] === group).slice(0, 2);
    expect(cut).toEqual([...first("tokens"), ...first("pools"), ...first("dexes")]);
    expect(first("pools")).toHaveLength(2);
    expect(all.length).toBeGreaterThan(cut.length);
  });

  test("reports in the receipt's terms that there is more, and estimates at most as many rows", async () => {
    const { stderr } = await run("search usdc --limit 1 -o ndjson --stats");
    expect(stderr).toContain(", more rows available");
    expect((await run("search usdc --limit 500 -o ndjson --stats")).stderr).not.toContain("more rows");
    expect(toRow((await run("search usdc --limit 4 --estimate -o json")).stdout)).toMatchObject({
      rows_at_most: 12,
      requests: 1,
    });
    const tokens = await run("search usdc --type tokens --limit 4 --estimate -o json");
    expect(toRow(tokens.stdout)).toMatchObject({ rows_at_most: 4 });
  });
});
