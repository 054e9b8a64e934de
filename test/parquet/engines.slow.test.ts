import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { columnsOf } from "../../src/parquet/parquet-columns.ts";
import { createRandom } from "../harness/random.ts";
import { duckdbFolder, leftOut, polarsFolder } from "../harness/recipe-tools.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { generateRow, kinds } from "./generated-rows.ts";
import { writeFile } from "./memory-file.ts";

const folder = temporaryFolder();
const script = path.join(import.meta.dirname, "engine-rows.mjs");
const engines = { duckdb: duckdbFolder, polars: polarsFolder };

console.warn(
  "\n!! LEFT OUT: pyarrow, Spark and ClickHouse have no npm package, so nothing was tried with them\n",
);

/** The rows come back through the types of the other program, as the same canonical rows. */
for (const engine of ["duckdb", "polars"] as const) {
  const reason = leftOut(`Parquet in ${engine} was not tried`, [engine]);
  test.skipIf(reason !== undefined).each(kinds)(
    `${engine} reads every value of a $name`,
    async ({ name, shape }) => {
      const random = createRandom(name.length);
      const columns = columnsOf(shape);
      const rows = Array.from({ length: 1000 }, () => generateRow(random, shape));
      const { file, written } = await writeFile(columns, rows);
      const target = path.join(folder, `${engine}.parquet`);
      writeFileSync(target, file);
      const types = columns.map(({ type }) => type).join(",");
      const words = [script, engine, engines[engine] ?? "", target, types, "hash"];
      const { rows: count, rows_sha256 } = written;
      expect(JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" }))).toEqual({
        rows: count,
        rows_sha256,
      });
    },
  );
}
