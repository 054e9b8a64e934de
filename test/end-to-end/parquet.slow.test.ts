import { execFileSync, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { rowShape } from "../../src/api/endpoint.ts";
import { poolTransactions } from "../../src/api/endpoints/pool-transactions.ts";
import { withParquet } from "../../src/rows/parquet-file.ts";
import { binaryEnv, ended, program } from "../harness/binary.ts";
import { isLong } from "../harness/long.ts";
import { duckdbFolder, leftOut, polarsFolder } from "../harness/recipe-tools.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { differences } from "../parquet/same-row.ts";

const rows = isLong ? 1_000_000 : 8000;
const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const limit = isLong ? 1_200_000 : 120_000;
const [ndjson, parquet] = [path.join(folder, "rows.ndjson"), path.join(folder, "rows.parquet")];

async function pull(file: string): Promise<{ readonly milliseconds: number; readonly megabytes: number }> {
  const peak = `${file}.peak`;
  const words = `txns ethereum ${pool} --to 2026-11-21T08:54:00Z --limit ${rows} --rpm unlimited --force --out`;
  const started = performance.now();
  const child = spawn(
    process.execPath,
    ["--require", path.resolve("test/harness/peak-memory.cjs"), program, ...words.split(" "), file],
    { env: { ...binaryEnv(sandbox.env()), DEXDATA_TEST_PEAK: peak }, stdio: "pipe" },
  );
  expect(await ended(child, limit)).toMatchObject({ exit: 0, stderr: "" });
  return { milliseconds: performance.now() - started, megabytes: Number(readFileSync(peak, "utf8")) / 1024 };
}

test(
  `${rows} rows take at most 16% of the space, and every value is that of the same rows in NDJSON`,
  async () => {
    const plain = await pull(ndjson);
    const typed = await pull(parquet);
    expect(statSync(parquet).size / statSync(ndjson).size).toBeLessThan(0.16);
    expect(typed.megabytes).toBeLessThan(260);
    const { record } = rowShape(poolTransactions);
    const sent = readFileSync(ndjson);
    let [at, wrong, count] = [0, 0, 0];
    await withParquet(parquet, async (source) => {
      for await (const { lines } of source.groups())
        for (const line of lines.toString().split("\n").slice(0, -1)) {
          const end = sent.indexOf(0x0a, at);
          wrong += differences(sent.toString("utf8", at, end), line, record).length;
          count += 1;
          at = end + 1;
        }
    });
    expect({ wrong, count, rest: sent.length - at }).toEqual({ wrong: 0, count: rows, rest: 0 });
    const times = typed.milliseconds / plain.milliseconds;
    console.log(
      `${rows} rows: ${times.toFixed(2)} times as long as NDJSON, ${typed.megabytes.toFixed(0)} MB`,
    );
  },
  limit,
);

for (const [engine, from] of Object.entries({ duckdb: duckdbFolder, polars: polarsFolder })) {
  const reason = leftOut(`${rows} rows in ${engine} were not tried`, [
    engine === "duckdb" ? engine : "nodejs-polars",
  ]);
  test.skipIf(reason !== undefined)(
    `${engine} reads the same ${rows} rows`,
    async () => {
      const { receipt, columns } = await withParquet(parquet, (source) => source);
      const { rows_sha256 }: { rows_sha256?: string } = JSON.parse(receipt);
      const script = path.resolve("test/parquet/engine-rows.mjs");
      const types = columns.map(({ type }) => type).join(",");
      const read = execFileSync(process.execPath, [script, engine, from ?? "", parquet, types, "hash"], {
        encoding: "utf8",
      });
      expect(JSON.parse(read)).toEqual({ rows, rows_sha256 });
    },
    limit,
  );
}
