import { describe, expect, test } from "vitest";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { checkColumns } from "../../src/cli/render/table/choose-columns.ts";
import { textWidth } from "../../src/cli/render/values/width.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";

const sandbox = useSandbox();
const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

async function runOnTerminal(words: string, columns = 80): Promise<Outcome> {
  return await dexdata(words, { isTerminal: true, columns, env: { ...sandbox.env(), NO_COLOR: "1" } });
}

const headOf = ({ stdout }: Outcome): string => (stdout.split("\n")[0] ?? "").replaceAll(/ {2,}/gu, "|");

describe("--columns", () => {
  test.each([
    ["token-0,price-usd", "TOKEN 0|PRICE 0 USD"],
    ["price_usd,tokens.0.symbol", "PRICE 0 USD|TOKEN 0"],
    ["Price USD,TOKEN_0,fee", "PRICE 0 USD|TOKEN 0|FEE"],
    ["dex_id", "DEX"],
    ["id,chain", "POOL|NETWORK"],
  ])("%s: shows these columns in this order", async (names, head) => {
    const { exit, ...seen } = await dexdata(
      ["pools", "search", "ethereum", "--columns", names, "-o", "table"],
      {
        env: sandbox.env(),
      },
    );
    expect([exit, headOf({ exit, ...seen })]).toEqual([0, head]);
  });

  test("prints one record as a row", async () => {
    const { stdout } = await runOnTerminal(`pool ${pool} --columns pool,dex`);
    expect(stdout).toBe(
      "POOL                                        DEX\n0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640  Uniswap V3\n",
    );
  });

  test("reports columns that do not fit, and -o wide shows all of them", async () => {
    const narrow = await runOnTerminal("pools search ethereum --limit 2 --columns token-0,pool,dex", 30);
    expect(headOf(narrow)).toBe("TOKEN 0|DEX");
    expect(narrow.stderr).toContain("warning: terminal too narrow for POOL; show all columns: -o wide\n");
    const wide = await runOnTerminal(
      "pools search ethereum --limit 2 --columns token-0,pool,dex -o wide",
      30,
    );
    expect(headOf(wide)).toBe("TOKEN 0|POOL|DEX");
    expect(wide.stderr).not.toContain("too narrow");
  });

  test("reports them with -q and with --follow too", async () => {
    const warningFor = (names: string): string =>
      `warning: terminal too narrow for ${names}; show all columns: -o wide\n`;
    const search = "pools search ethereum --limit 2 -q";
    expect((await runOnTerminal(`${search} --columns token-0,pool,dex`, 30)).stderr).toBe(warningFor("POOL"));
    expect((await runOnTerminal(`${search} --fields chain,id`, 30)).stderr).toBe(warningFor("id"));
    const followed = `txns ${pool} --from -5m --limit 2 --follow -q --columns time,transaction`;
    expect((await runOnTerminal(followed, 30)).stderr).toContain(warningFor("TRANSACTION"));
  });

  test.each([
    [
      "pools search ethereum --columns liqidity",
      'invalid --columns "liqidity": must be one of token-0, token-1, network, dex, fee, price-0-usd, change-5m, change-1h, change-6h, change-24h, change-48h, volume-24h, volume-7d, volume-30d, liquidity, txns-24h, created, pool\n  hint: did you mean liquidity?',
    ],
    [
      "dexes ethereum --columns volum",
      'invalid --columns "volum": must be one of dex, name, protocol, volume-24h, txns-24h, pools\n  hint: did you mean volume-24h?',
    ],
    [
      "dexes ethereum --columns tnxs",
      'invalid --columns "tnxs": must be one of dex, name, protocol, volume-24h, txns-24h, pools\n  hint: did you mean txns-24h?',
    ],
    [
      "prices ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --columns label,price-usd -o csv",
      '--columns "label,price-usd" cannot be used with --output csv: label is not a field of the rows\n  hint: remove label, or use --output table',
    ],
    ["networks --columns network,id", 'invalid --columns "network,id": network and id are the same column'],
    ["networks --columns id,Id", 'invalid --columns "id,Id": id appears twice'],
    [
      "networks --columns network,",
      'invalid --columns "network,": must be comma-separated column names such as token-0,price-usd',
    ],
    [
      "networks --columns network --fields id",
      "--columns and --fields cannot be used together\n  hint: use only one of them",
    ],
    [
      "networks --columns network -o json",
      "--columns requires a table, csv or tsv, but the output is json\n  hint: add -o table, or use --fields",
    ],
    [
      "api /networks/ethereum/unknown --columns network",
      '--columns "network": the output has no table\n  hint: omit --columns',
    ],
    [
      "search weth --columns symbol",
      'invalid --columns "symbol": unknown column for pools; columns for pools: token-0, token-1, network, dex, price-0-usd, change-5m, change-1h, change-24h, volume, txns, pool\n  hint: to choose columns of one kind: dexdata search … --type <kind>',
    ],
    [
      "search weth --columns network,volume,token-0",
      'invalid --columns "token-0": unknown column for tokens; columns for tokens: symbol, name, network, price-usd, volume, liquidity, fdv, token\n  hint: to choose columns of one kind: dexdata search … --type <kind>',
    ],
    [
      "search weth --type tokens,pools --columns symbl",
      'invalid --columns "symbl": unknown column for tokens; columns for tokens: symbol, name, network, price-usd, volume, liquidity, fdv, token\n  hint: to choose columns of one kind: dexdata search … --type <kind>',
    ],
    [
      "search weth --columns 42",
      'invalid --columns "42": unknown column for tokens; columns for tokens: symbol, name, network, price-usd, volume, liquidity, fdv, token\n  hint: to choose columns of one kind: dexdata search … --type <kind>',
    ],
    [
      "search weth --type tokens --columns token-0",
      'invalid --columns "token-0": must be one of symbol, name, network, price-usd, volume, liquidity, fdv, token\n  hint: did you mean token?',
    ],
    [
      "dexes ethereum --columns volum --watch 5s",
      'invalid --columns "volum": must be one of dex, name, protocol, volume-24h, txns-24h, pools\n  hint: did you mean volume-24h?',
    ],
    [
      `txns ${pool} --follow --columns nothing`,
      'invalid --columns "nothing": must be one of time, token-0, token-1, type, size-usd, price-0-usd, price-1-usd, block, sender, transaction, log-index',
    ],
  ])("rejects %s before sending anything", async (words, message) => {
    const { exit, stdout, stderr } = await runOnTerminal(words);
    expect([exit, stdout, stderr]).toEqual([2, "", `error: ${message}\n`]);
    expect(sandbox.takeLog().filter(({ url }) => url.includes("unknown"))).toEqual([]);
  });

  test("accepts the title and the fields of each column of every table", () => {
    for (const { rows } of endpoints) {
      for (const shape of Object.values(rows)) {
        const columns = [...shape.columns, ...(shape.added?.columns ?? [])];
        const tables = new Map([["rows", shape]]);
        checkColumns(
          tables,
          columns.map(({ title }) => title),
          "table",
        );
        for (const { field } of columns)
          for (const each of typeof field === "string" ? [field] : field)
            checkColumns(tables, [each], "table");
      }
    }
  });
});

describe("the columns that identify a row", () => {
  const prices = "prices ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 -q";

  test("are reported if they do not fit, and only then", async () => {
    const narrow = await runOnTerminal(prices, 8);
    expect([headOf(narrow), narrow.stderr]).toEqual([
      "NETWORK",
      "warning: terminal too narrow for TOKEN; show all columns: -o wide\n",
    ]);
    const short = await runOnTerminal(prices, 40);
    expect([headOf(short), short.stderr]).toEqual(["NETWORK|PRICE USD|TOKEN", ""]);
    expect(short.stdout).toContain("0xc02a…6cc2");
    const fitting = await runOnTerminal(prices, 64);
    expect(fitting.stdout).toContain("0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");
    expect([headOf(fitting), fitting.stderr]).toEqual(["NETWORK|PRICE USD|TOKEN", ""]);
    expect((await runOnTerminal("pools search ethereum --limit 2 -q", 40)).stderr).toBe("");
  });

  test("of a transaction are its time, amounts and ID", async () => {
    const txns = `txns ${pool} --limit 3 --to 2026-11-21T08:00:00Z -q`;
    expect(headOf(await runOnTerminal(txns, 40))).toBe("TIME|TOKEN 0|TRANSACTION");
    expect(headOf(await runOnTerminal(txns, 60))).toBe("TIME|TOKEN 0|TOKEN 1|TRANSACTION");
  });
});

describe("the column that a list is ordered or filtered by", () => {
  test.each([
    ["pools search ethereum --order-by liquidity_usd", 100, "LIQUIDITY"],
    ["pools search ethereum --order-by txns_24h", 60, "TXNS 24H"],
    ["pools search ethereum --order-by volume_usd_30d", 60, "VOLUME 30D"],
    ["pools search ethereum --order-by price_change_percentage_5m", 60, "CHANGE 5M"],
    ["pools search --order-by created_at", 60, "CREATED"],
    ["tokens search ethereum --order-by fdv_usd", 100, "FDV"],
    ["tokens search ethereum --order-by volume_usd_30d", 40, "VOLUME 30D"],
    ["tokens search --order-by liquidity_usd", 40, "LIQUIDITY"],
    ["pools search ethereum --created-after -300d", 60, "CREATED"],
    ["pools search ethereum --created-before -30d --txns-24h-min 5", 80, "CREATED"],
    ["pools search ethereum --created-before -30d --txns-24h-min 5", 80, "TXNS 24H"],
    ["tokens search --fdv-usd-max 1b", 60, "FDV"],
    ["api /networks/ethereum/pools/search -f detailed=true -f order_by=liquidity_usd", 60, "LIQUIDITY"],
  ])("%s: has at %d columns the column %s", async (words, columns, title) => {
    const head = headOf(await runOnTerminal(words, columns)).split("|");
    expect(head).toContain(title);
    expect(head[0]).toBe(words.includes("pools") ? "TOKEN 0" : "SYMBOL");
  });

  test("is dropped before the identifying columns, and is not added to --columns", async () => {
    const narrow = headOf(await runOnTerminal("pools search --order-by liquidity_usd", 34));
    expect(narrow).toBe("TOKEN 0|TOKEN 1|NETWORK");
    const named = headOf(
      await runOnTerminal("pools search --order-by liquidity_usd --columns token-0,dex", 60),
    );
    expect(named).toBe("TOKEN 0|DEX");
  });
});

describe("-o wide", () => {
  test("shows every column of a list, even without values and beyond the terminal width", async () => {
    const wide = await runOnTerminal("pools search ethereum --limit 2 -o wide", 40);
    expect(headOf(wide)).toBe(
      "TOKEN 0|TOKEN 1|NETWORK|DEX|FEE|PRICE 0 USD|CHANGE 5M|CHANGE 1H|CHANGE 6H|CHANGE 24H|CHANGE 48H|VOLUME 24H|VOLUME 7D|VOLUME 30D|LIQUIDITY|TXNS 24H|CREATED|POOL",
    );
  });

  test("shows all windows of a record without wrapping", async () => {
    const [narrow, wide] = [
      await runOnTerminal(`pool ${pool}`, 40),
      await runOnTerminal(`pool ${pool} -o wide`, 40),
    ];
    expect(narrow.stdout).not.toContain("SELL USD");
    expect(wide.stdout).toContain("SELL USD");
    expect(wide.stdout).toContain("id                       0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640\n");
    expect(Math.max(...wide.stdout.split("\n").map(textWidth))).toBeGreaterThan(100);
  });

  test("prints a table in a pipe, and for rows that do not come from the service", async () => {
    const piped = await dexdata("networks -o wide --limit 1", { env: sandbox.env() });
    expect(piped.stdout).toBe("NETWORK   NAME      VOLUME 24H  TXNS 24H  POOLS\nethereum  Ethereum\n");
    const own = await dexdata("config list -o wide", {});
    expect([own.exit, own.stdout]).toEqual([0, (await dexdata("config list -o table", {})).stdout]);
  });
});

describe("--columns '?'", () => {
  test.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    "%s: every name that is listed is accepted, and no request is made",
    async (_, endpoint) => {
      const chosen = endpoint.chosenBy === undefined ? "" : ` --${endpoint.chosenBy}`;
      const words = `${endpoint.command}${chosen} --columns ?`;
      const { exit, stdout, stderr } = await dexdata(`${words} --stats -o ndjson`, { env: sandbox.env() });
      if (exit !== 0) {
        // A flag with a value chooses this endpoint, and the list has to know its value.
        expect(stderr).toContain(`--${endpoint.chosenBy ?? "none"}`);
        return;
      }
      const listed = rowsOf(stdout);
      for (const [group, shape] of Object.entries(endpoint.rows)) {
        const own = listed.filter((row) => row["group"] === undefined || row["group"] === group);
        const names = own.map((row) => String(row["column"]));
        expect(names.length).toBe(shape.columns.length + (shape.added?.columns.length ?? 0));
        if (names.length > 0) checkColumns(new Map([[group, shape]]), names, "table");
      }
      expect(stderr).toBe("");
    },
  );
});

describe("a search with several tables", () => {
  test("shows five pools on a terminal, and the command that shows all of them", async () => {
    const { stdout, stderr } = await runOnTerminal("search weth", 120);
    const [, pools = ""] = stdout.split("\nPools\n");
    const [table = ""] = pools.split("\n\n");
    expect(table.trimEnd().split("\n")).toHaveLength(1 + 5);
    const [, more = "0"] = /^(\d+) more pools: dexdata search weth --type pools$/mu.exec(stderr) ?? [];
    const only = await runOnTerminal("search weth --type pools", 120);
    expect(only.stdout.trimEnd().split("\n")).toHaveLength(1 + 5 + Number(more));
    expect(only.stderr).not.toContain("more pools");
    const wide = await runOnTerminal("search weth -o wide", 120);
    expect(wide.stderr).not.toContain("more pools");
  });

  test("shows all pools in a pipe", async () => {
    const { stdout } = await dexdata("search weth -o table", { env: sandbox.env() });
    const [, pools = ""] = stdout.split("\nPools\n");
    expect(pools.split("\n\n")[0]?.trimEnd().split("\n").length).toBeGreaterThan(10);
  });
});
