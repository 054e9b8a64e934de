import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { duckdbFolder, leftOut } from "../harness/recipe-tools.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });
const folder = temporaryFolder();
const shell = path.resolve("test/harness/duckdb-shell.mjs");
const reason = leftOut("made candles were not compared with DuckDB", ["duckdb"]);

const count = isLong ? 200 : 12;
/** The busiest tokens have thirty times as many trades, and their candles are made of just as many others. */
const which = isLong ? "" : "--txns-24h-max 500";

const made = [
  ["2h", "1h", "time_bucket(INTERVAL '2 hours', t)"],
  ["4h", "1h", "time_bucket(INTERVAL '4 hours', t)"],
  ["8h", "1h", "time_bucket(INTERVAL '8 hours', t)"],
  ["1w", "24h", "CAST(date_trunc('week', t) AS TIMESTAMP)"],
] as const;

async function tokens(): Promise<string> {
  const words = `tokens search ethereum ${which} --limit ${count} --fields chain,address -o ndjson -q`;
  const rows = rowsOf((await dexdata(words, { env: sandbox.env() })).stdout);
  expect(rows).toHaveLength(count);
  return rows.map(({ chain, address }) => `${String(chain)}:${String(address)}\n`).join("");
}

test.skipIf(reason !== undefined).each(made)(
  reason ?? `%s of ${count} tokens equal what DuckDB makes of %s, digit for digit`,
  async (name, source, bucket) => {
    const stdin = await tokens();
    const pull = async (interval: string, from: string, to: string): Promise<string> => {
      const words = `ohlcv - --interval ${interval} --from ${from} --to ${to} -o csv -q`;
      const { exit, stdout } = await dexdata(words, { env: sandbox.env(), stdin });
      expect(exit).toBe(0);
      return stdout;
    };
    // Both bounds are multiples of each interval, and the last candles are partial.
    const [from, to] = name === "1w" ? ["2026-08-03", "now"] : ["2026-11-14", "now"];
    const file = path.join(folder, `${name}.csv`);
    writeFileSync(file, await pull(source, from, to));
    const sql =
      "SELECT id, strftime(b, '%Y-%m-%dT%H:%M:%SZ') AS time_open, open, high, low, close, CAST(volume AS VARCHAR) AS volume FROM (" +
      `SELECT id, ${bucket} AS b, arg_min(open, t) AS open, arg_max(high, CAST(high AS DOUBLE)) AS high, arg_min(low, CAST(low AS DOUBLE)) AS low, ` +
      "arg_max(close, t) AS close, sum(CAST(coalesce(volume, '0') AS HUGEINT)) AS volume FROM " +
      `(SELECT *, CAST(time_open AS TIMESTAMP) AS t FROM read_csv('${file}', all_varchar = true)) GROUP BY id, b) ORDER BY id, b`;
    const wanted = execFileSync(process.execPath, [shell, duckdbFolder ?? "", "-csv", ":memory:", sql], {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    const [header = "", ...lines] = (await pull(name, from, to)).trimEnd().split("\n");
    const names = header.split(",");
    const places = ["id", "time_open", "open", "high", "low", "close", "volume"].map((each) =>
      names.indexOf(each),
    );
    const shown = lines.map((line) => {
      const cells = line.split(",");
      return places.map((place) => cells[place]).join(",");
    });
    const expected = wanted.trimEnd().split("\n").slice(1);
    expect(expected.length).toBeGreaterThan(10 * count);
    expect(shown.toSorted()).toEqual(expected.toSorted());
  },
  600_000,
);
