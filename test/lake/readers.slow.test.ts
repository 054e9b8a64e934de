import { spawn } from "node:child_process";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { ended } from "../harness/binary.ts";
import { dexdata } from "../harness/dexdata.ts";
import { periodsBelow } from "../harness/lake.ts";
import { isLong } from "../harness/long.ts";
import { type MarketPool, rowsOfDays, seconds, startMarketService } from "../harness/market-service.ts";
import { duckdbFolder, leftOut, polarsFolder } from "../harness/recipe-tools.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const reads = isLong ? 2000 : 30;
const pool = `0x${"a".repeat(40)}`;
const days = Array.from({ length: 60 }, (_, index) =>
  new Date(Date.UTC(2026, 9, 20 + index)).toISOString().slice(0, 10),
);
const folder = temporaryFolder();
const pools = new Map<string, MarketPool>([
  [pool, { rows: rowsOfDays(pool, days, 40), created: "2026-01-01T00:00:00Z" }],
]);
let now = seconds("2026-10-29T01:00:00Z");
const service = await startMarketService(() => now, pools);
afterAll(async () => await service.close());

/** Each prints one line per read: the rows and the different rows of each day. */
const readers = {
  duckdb: `
    const { DuckDBInstance } = require("@duckdb/node-api");
    (async () => {
      const database = await (await DuckDBInstance.create(":memory:")).connect();
      await database.run(require("node:fs").readFileSync("views.sql", "utf8"));
      for (let read = 0; read < ${reads}; read += 1) {
        const sql = "SELECT date::VARCHAR, count(*)::INT, count(DISTINCT id)::INT FROM trades GROUP BY 1";
        console.log(JSON.stringify((await database.runAndReadAll(sql)).getRowsJson()));
      }
    })();`,
  "nodejs-polars": `
    const polars = require("nodejs-polars");
    for (let read = 0; read < ${reads}; read += 1) {
      const trades = polars.scanParquet("transactions/**/rows.parquet", { hivePartitioning: true });
      const dated = trades.withColumn(polars.col("created_at").cast(polars.Utf8).str.slice(0, 10).alias("date"));
      const groups = dated.groupBy("date").agg(polars.len().alias("rows"), polars.col("id").nUnique().alias("ids"));
      console.log(JSON.stringify(groups.collectSync().toRecords().map(({ date, rows, ids }) => [date, rows, ids])));
    }`,
};

test.each(["duckdb", "nodejs-polars"] as const)(
  `%s reads ${reads} times while files are replaced: no error, no row twice, no complete day missing`,
  async (name) => {
    const reason = leftOut(`${name} in a loop was not tried`, [name]);
    if (reason !== undefined) return;
    const root = path.join(folder, name);
    const env = { DEXDATA_BASE_URL: service.url };
    const sync = async () =>
      await dexdata(["sync", root, `ethereum:${pool}`, "--from", "2026-10-27", "--rpm", "unlimited"], {
        env,
        now: now * 1000,
      });
    now = seconds("2026-10-29T01:00:00Z");
    expect((await sync()).exit).toBe(0);
    const modules = [duckdbFolder, polarsFolder].map((each) => path.join(each ?? "", "node_modules"));
    const child = spawn(process.execPath, ["-e", readers[name]], {
      cwd: root,
      env: { ...process.env, NODE_PATH: modules.join(path.delimiter) },
    });
    const outcome = ended(child, 1_200_000);
    let runs = 0;
    // Days become complete, months end, and --force replaces files.
    for (; child.exitCode === null; runs += 1) {
      now += 6 * 3600;
      if (now > seconds("2026-12-15T00:00:00Z")) now = seconds("2026-12-15T00:00:00Z");
      expect((await sync()).exit).toBe(0);
    }
    const { exit, stdout, stderr } = await outcome;
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const seen = new Set<string>();
    const lines = stdout.toString("utf8").trimEnd().split("\n");
    expect(lines.length).toBe(reads);
    for (const line of lines) {
      const found: readonly (readonly [string, number, number])[] = JSON.parse(line);
      const dates = new Set(found.map(([date]) => date));
      for (const [date, rows, ids] of found) expect([date, rows, ids]).toEqual([date, 40, 40]);
      for (const date of seen) expect(dates).toContain(date);
      for (const date of dates) seen.add(date);
    }
    const complete = (await periodsBelow(root)).filter(({ name: each }) => each.endsWith("rows.parquet"));
    expect(complete.length).toBeGreaterThanOrEqual(seen.size);
    process.stdout.write(`${name}: ${lines.length} reads of up to ${seen.size} days, ${runs} runs\n`);
  },
  1_200_000,
);
