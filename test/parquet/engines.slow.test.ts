import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { columnsOf } from "../../src/rows/parquet/parquet-columns.ts";
import { program } from "../harness/binary.ts";
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
  const reason = leftOut(`Parquet in ${engine} was not tried`, [
    engine === "polars" ? "nodejs-polars" : engine,
  ]);
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

const recipe = /"(SET TimeZone = 'UTC';[^"]+)"\n((?:.+\n)+?)\$/u.exec(
  readFileSync("docs/recipes.md", "utf8"),
);

const noDuckdb = leftOut("the recipe in two time zones was not tried", ["duckdb"]);
test.skipIf(noDuckdb !== undefined).each(["UTC", "America/New_York"])(
  "the recipe prints UTC in %s",
  (zone) => {
    const [, sql = "", shown = ""] = recipe ?? [];
    const env = { ...process.env, DEXDATA_SANDBOX: "1", DEXDATA_NOW: "2026-11-21T08:54:00Z", TZ: zone };
    const run = (...words: readonly string[]): string =>
      execFileSync(process.execPath, words, { encoding: "utf8", env, cwd: folder });
    const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    run(program, ...`txns ethereum ${pool} --from -2h --all --out swaps.parquet --force -q`.split(" "));
    const shell = path.resolve("test/harness/duckdb-shell.mjs");
    expect(run(shell, duckdbFolder ?? "", "-csv", ":memory:", sql.replaceAll("\n>", "\n"))).toBe(shown);
  },
);
