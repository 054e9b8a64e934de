import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findLakeFiles } from "../../src/lake/files/lake-files.ts";
import { viewsOf, writeViews } from "../../src/lake/files/views.ts";
import { dexdata } from "../harness/dexdata.ts";
import { periodsBelow, rowsBelow } from "../harness/lake.ts";
import { duckdbFolder, leftOut } from "../harness/recipe-tools.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const reason = leftOut("views.sql was not tried", ["duckdb"]);
let now = sandboxNow;
const sandbox = useSandbox({ now: () => now, requestsPerMinute: Number.POSITIVE_INFINITY });
const folder = temporaryFolder();
const root = path.join(folder, "it's a [lake] ?*");
/** Its name matches that of the root as a pattern. */
const neighbor = path.join(folder, "it's a [lake] copy");
const moved = path.join(folder, "moved [1] *");

interface Connection {
  readonly run: (sql: string) => Promise<unknown>;
  readonly runAndReadAll: (sql: string) => Promise<{ readonly getRowsJson: () => unknown[][] }>;
}

async function connect(): Promise<Connection> {
  const { DuckDBInstance } = createRequire(path.join(duckdbFolder ?? "", "/"))("@duckdb/node-api");
  return await (await DuckDBInstance.create(":memory:")).connect();
}

test("without a complete file there is no view, because DuckDB rejects a pattern without a file", () => {
  expect(viewsOf([], false)).not.toContain("CREATE");
});

test.skipIf(reason !== undefined)(
  "DuckDB reads exactly the complete rows, with amounts in tokens",
  async () => {
    const pools = [
      "0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f",
      "0x87f25874014a0eada3604acb0b227de7c9a6578d",
    ];
    const assets = pools.map((pool) => `ethereum:${pool}`);
    const env = sandbox.env();
    const run = async (...words: readonly string[]) =>
      await dexdata(["sync", root, ...words, "--rpm", "unlimited"], { env });
    expect((await run(assets[0] ?? "", "--from", "2026-11-16")).exit).toBe(0);
    expect((await run(assets[1] ?? "", "--from", "2026-11-16", "--by", "day")).exit).toBe(0);
    expect(
      (await run(assets[0] ?? "", "--kind", "ohlcv", "--interval", "5m", "--from", "2026-11-18")).exit,
    ).toBe(0);
    expect(
      (
        await run(
          "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
          "--kind",
          "token-ohlcv",
          "--from",
          "2026-10-01",
        )
      ).exit,
    ).toBe(0);
    const complete = (await periodsBelow(root)).filter(({ name }) => name.endsWith("rows.parquet"));
    const footers = complete.map(({ footer }) => footer);
    const countOf = (kind: (name: string) => boolean): number =>
      footers.filter(({ kind: own }) => kind(own)).reduce((sum, { rows }) => sum + rows, 0);
    cpSync(root, neighbor, { recursive: true });
    const database = await connect();
    await database.run(`SET VARIABLE lake = '${root.replaceAll("'", "''")}'`);
    await database.run(readFileSync(path.join(root, "views.sql"), "utf8"));
    const read = async (sql: string) => (await database.runAndReadAll(sql)).getRowsJson();
    const trades = countOf((kind) => kind === "transactions");
    expect(trades).toBeGreaterThan(100);
    expect(
      await read("SELECT count(*)::INT, count(DISTINCT pool)::INT, count(DISTINCT date)::INT FROM trades"),
    ).toEqual([[trades, 2, 4]]);
    const open = (await periodsBelow(root)).filter(({ name }) => name.endsWith("month=2026-11/open.parquet"));
    const settled = open.filter(({ footer }) => footer.candle === "1h").map(({ footer }) => footer);
    expect(settled.length).toBe(1);
    const more = settled.reduce((sum, { rows, unsettled }) => sum + rows - unsettled, 0);
    expect(more).toBeGreaterThan(400);
    expect(await read("SELECT count(*)::INT FROM candles")).toEqual([
      [countOf((kind) => kind !== "transactions") + more],
    ]);
    expect(await read("SELECT max(time_open)::VARCHAR FROM candles WHERE candle = '1h'")).toEqual([
      ["2026-11-21 06:00:00+00"],
    ]);
    expect(await read("SELECT count(*)::INT FROM trades WHERE amount_0 IS NULL OR symbol_0 IS NULL")).toEqual(
      [[0]],
    );
    const rows = await rowsBelow(path.join(root, "transactions"));
    const old = rows.filter((row) => String(row["created_at"]) < "2026-11-20");
    const sum = old.reduce((total, row) => total + BigInt(String(row["amount_0"])), 0n);
    expect(await read("SELECT sum(raw_amount_0)::VARCHAR FROM trades")).toEqual([[String(sum)]]);
    // The working directory is that of the process.
    renameSync(root, moved);
    const script = `
      const { DuckDBInstance } = require("@duckdb/node-api");
      (async () => {
        const database = await (await DuckDBInstance.create(":memory:")).connect();
        await database.run(require("node:fs").readFileSync("views.sql", "utf8"));
        const found = await database.runAndReadAll("SELECT sum(raw_amount_0)::VARCHAR FROM trades");
        process.stdout.write(found.getRowsJson()[0][0]);
      })();`;
    const started = spawnSync(process.execPath, ["-e", script], {
      cwd: moved,
      encoding: "utf8",
      env: { ...process.env, NODE_PATH: path.join(duckdbFolder ?? "", "node_modules") },
    });
    expect({ stderr: started.stderr, stdout: started.stdout }).toEqual({ stderr: "", stdout: String(sum) });
  },
);

test.skipIf(reason !== undefined)(
  "candles of 1h are there from the first run on, and once while their month is completed",
  async () => {
    const lake = path.join(folder, "hours");
    const words = ["ethereum:0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f", "--kind", "ohlcv"];
    expect((await dexdata(["sync", lake, ...words], { env: sandbox.env(), now })).exit).toBe(0);
    const connection = await connect();
    const ask = async (): Promise<unknown[][]> => {
      await connection.run(
        `SET VARIABLE lake = '${lake}'; ${readFileSync(path.join(lake, "views.sql"), "utf8")}`,
      );
      const sql =
        "SELECT count(*)::INT, count(DISTINCT time_open)::INT, max(time_close)::VARCHAR FROM candles";
      return (await connection.runAndReadAll(sql)).getRowsJson();
    };
    const hours = 6 * 24 + 7;
    expect(await ask()).toEqual([[hours, hours, "2026-11-21 07:00:00+00"]]);
    const [{ name } = { name: "" }] = await periodsBelow(lake);
    const open = readFileSync(path.join(lake, name));
    now = Date.parse("2026-12-02T09:00:00Z");
    expect((await dexdata(["sync", lake], { env: sandbox.env(), now })).exit).toBe(0);
    now = sandboxNow;
    const [[complete] = []] = await ask();
    expect(complete).toBeGreaterThan(16 * 24);
    // As after a kill between the two steps.
    writeFileSync(path.join(lake, name), open);
    expect(await ask()).toEqual([[complete, complete, "2026-12-02 08:00:00+00"]]);
  },
);

test("a month of candles that is no longer open has no view, because no file would match", () => {
  const lake = path.join(folder, "candles of a month");
  const month = path.join(lake, "ohlcv/network=e/pool=0x1/candle=1h/month=2026-11");
  const [open, lost] = [path.join(month, "open.parquet"), path.join(month, "lost.parquet")];
  mkdirSync(month, { recursive: true });
  const hasView = (): boolean => {
    writeViews({ random: Math.random }, lake, findLakeFiles(lake).files);
    return readFileSync(path.join(lake, "views.sql"), "utf8").includes("VIEW candles");
  };
  writeFileSync(open, "");
  const views = [hasView()];
  renameSync(open, lost);
  views.push(hasView());
  expect(views).toEqual([true, false]);
});

test.skipIf(reason !== undefined)(
  "pool_history has no liquidity for young pools, and pool_gaps what was missed",
  async () => {
    const pools = path.join(folder, "pools");
    const words = ["--search", "ethereum --created-after -3d --limit 20", "--list", "young"];
    await dexdata(["sync", pools, ...words], { env: sandbox.env(), now });
    now += 3 * 3_600_000;
    await dexdata(["sync", pools], { env: sandbox.env(), now });
    const connection = await connect();
    await connection.run(
      `SET VARIABLE lake = '${pools}'; ${readFileSync(path.join(pools, "views.sql"), "utf8")}`,
    );
    const ask = async (sql: string): Promise<unknown[][]> =>
      (await connection.runAndReadAll(sql)).getRowsJson();
    expect(
      await ask(
        "SELECT count(*) > 5, count(liquidity_usd), count(price_usd) > 5, count(DISTINCT period) FROM pool_history",
      ),
    ).toEqual([[true, "0", true, "2"]]);
    expect(await ask('SELECT list, "from"::VARCHAR, "to"::VARCHAR, why FROM pool_gaps')).toEqual([
      ["young", "2026-11-21 09:00:00+00", "2026-11-21 11:00:00+00", "missed"],
    ]);
  },
);
