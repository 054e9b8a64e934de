import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { viewsOf } from "../../src/lake/views.ts";
import { dexdata } from "../harness/dexdata.ts";
import { dataFiles, footerOf, rowsBelow } from "../harness/lake.ts";
import { duckdbFolder, leftOut } from "../harness/recipe-tools.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const reason = leftOut("views.sql was not tried", ["duckdb"]);
const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const root = path.join(temporaryFolder(), "it's a lake");

interface Connection {
  readonly run: (sql: string) => Promise<unknown>;
  readonly runAndReadAll: (sql: string) => Promise<{ readonly getRowsJson: () => unknown[][] }>;
}

async function connect(): Promise<Connection> {
  const { DuckDBInstance } = createRequire(path.join(duckdbFolder ?? "", "/"))("@duckdb/node-api");
  return await (await DuckDBInstance.create(":memory:")).connect();
}

test("without a complete file there is no view, because DuckDB rejects a pattern without a file", () => {
  expect(viewsOf("/lake", [], false)).not.toContain("CREATE");
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
    expect((await run(...assets, "--from", "2026-11-16")).exit).toBe(0);
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
    const names = dataFiles(root).filter((name) => name.endsWith("rows.parquet"));
    const footers = await Promise.all(names.map(async (name) => await footerOf(path.join(root, name))));
    const countOf = (kind: (name: string) => boolean): number =>
      footers.filter(({ kind: own }) => kind(own)).reduce((sum, { rows }) => sum + rows, 0);
    const database = await connect();
    await database.run(readFileSync(path.join(root, "views.sql"), "utf8"));
    const read = async (sql: string) => (await database.runAndReadAll(sql)).getRowsJson();
    const trades = countOf((kind) => kind === "transactions");
    expect(trades).toBeGreaterThan(100);
    expect(
      await read("SELECT count(*)::INT, count(DISTINCT pool)::INT, count(DISTINCT date)::INT FROM trades"),
    ).toEqual([[trades, 2, 4]]);
    expect(await read("SELECT count(*)::INT FROM candles")).toEqual([
      [countOf((kind) => kind !== "transactions")],
    ]);
    expect(await read("SELECT count(*)::INT FROM trades WHERE amount_0 IS NULL OR symbol_0 IS NULL")).toEqual(
      [[0]],
    );
    const rows = await rowsBelow(path.join(root, "transactions"));
    const complete = rows.filter((row) => String(row["created_at"]) < "2026-11-20");
    const sum = complete.reduce((total, row) => total + BigInt(String(row["amount_0"])), 0n);
    expect(await read("SELECT sum(raw_amount_0)::VARCHAR FROM trades")).toEqual([[String(sum)]]);
  },
);
