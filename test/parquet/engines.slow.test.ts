import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { columnsOf } from "../../src/rows/parquet-format.ts";
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

/** The files of all kinds of rows, in order, with what their readers must see. */
const files = new Map<
  string,
  { readonly words: readonly [file: string, types: string]; readonly rows: object }
>();

beforeAll(async () => {
  for (const { name, shape } of kinds) {
    const random = createRandom(name.length);
    const columns = columnsOf(shape);
    const generated = Array.from({ length: 1000 }, () => generateRow(random, shape));
    const { file, written } = await writeFile(columns, generated);
    const target = path.join(folder, `${name}.parquet`);
    writeFileSync(target, file);
    const { rows, rows_sha256 } = written;
    const types = columns.map(({ type }) => type).join(",");
    files.set(name, { words: [target, types], rows: { rows, rows_sha256 } });
  }
});

/** Starting the other program is most of the time, so it reads all files in one process. */
function readAll(engine: keyof typeof engines): readonly string[] {
  const [first, ...others] = [...files.values()].map(({ words }) => words);
  const words = [script, engine, engines[engine] ?? "", ...(first ?? []), "hash", ...others.flat()];
  return execFileSync(process.execPath, words, { encoding: "utf8" }).trimEnd().split("\n");
}

/** The rows come back through the types of the other program, as the same canonical rows. */
for (const engine of ["duckdb", "polars"] as const) {
  const reason = leftOut(`Parquet in ${engine} was not tried`, [
    engine === "polars" ? "nodejs-polars" : engine,
  ]);
  describe.skipIf(reason !== undefined)(reason ?? engine, () => {
    let seen: readonly string[] = [];
    beforeAll(() => {
      seen = readAll(engine);
    });
    test.each(kinds.map(({ name }, index) => [name, index] as const))(
      "reads every value of a '%s'",
      (name, index) => {
        expect(JSON.parse(seen[index] ?? "null")).toEqual(files.get(name)?.rows);
      },
    );
  });
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
