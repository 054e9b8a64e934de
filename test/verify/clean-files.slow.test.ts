import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const seeds = Array.from({ length: isLong ? 10 : 1 }, (_, index) => index + 1);
/** Per seed and dialect, so that all of them together have 10^4 rows, or 10^6. The public dialect has fewer. */
const transactions = isLong ? 66_000 : 6000;
const candles = isLong ? "-2d" : "-12h";
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const otherPool = "0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b";
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/** Every kind of row, with names that decide about the format. */
const pulls: readonly (readonly [string, string])[] = [
  ["transactions.ndjson", `txns ethereum ${pool} --limit ${transactions}`],
  ["transactions.csv", `txns ethereum ${pool} --limit 300`],
  ["transactions.tsv", `txns ethereum ${pool} --limit 300`],
  ["transactions.parquet", `txns ethereum ${pool} --limit 300`],
  ["filled.parquet", `ohlcv ethereum ${pool} --pool --from -3h --interval 1m --fill previous`],
  ["pools.parquet", "pools search --limit 100"],
  ["tokens.parquet", "tokens search ethereum --limit 100 --detailed"],
  ["of-two-pools.ndjson", `txns ethereum ${pool} ${otherPool} --from -12h --all`],
  ["transactions.json", `txns ethereum ${pool} --limit 300`],
  ["chosen.ndjson", `txns ethereum ${pool} --limit 100 --fields created_at,amount_0`],
  ["candles.ndjson", `ohlcv ethereum ${pool} --pool --from ${candles} --interval 1m`],
  ["candles.csv", `ohlcv ethereum ${weth} --from -12h --interval 5m`],
  ["both.ndjson", `ohlcv ethereum ${weth} ${usdc} --from -12h --interval 15m`],
  ["counted.json", `ohlcv ethereum ${weth} --count-back 48 --interval 1h`],
  ["filled.ndjson", `ohlcv ethereum ${pool} --pool --from -3h --interval 1m --fill previous`],
  ["filled.csv", `ohlcv ethereum ${pool} --pool --from -3h --interval 1m --fill null`],
  ["prices.ndjson", `prices ethereum ${weth} ${usdc} ${weth}`],
  ["prices.csv", `prices ethereum ${weth} ${usdc}`],
  ["pools.ndjson", "pools search --limit 300"],
  ["pools.json", "pools search ethereum --limit 100 --detailed"],
  ["pools.tsv", "pools search ethereum --limit 100"],
  ["tokens.ndjson", "tokens search --limit 300"],
  ["tokens.csv", "tokens search ethereum --limit 100 --detailed"],
  ["pool.json", `pool ethereum ${pool}`],
  ["token.ndjson", `token ethereum ${weth} ${usdc}`],
  ["networks.ndjson", "networks"],
  ["dexes.ndjson", "dexes ethereum"],
  ["found.json", "search weth"],
  ["found.ndjson", "search weth"],
];

let rowsInAll = 0;

describe.each(["spec", "public"] as const)("in the %s dialect", (dialect) => {
  describe.each(seeds)("with seed %i", (seed) => {
    const sandbox = useSandbox({ seed, dialect, requestsPerMinute: Number.POSITIVE_INFINITY });

    test("clean files of every kind have no findings, with and without their receipts", async () => {
      const files: string[] = [];
      const receipts: string[] = [];
      for (const [name, words] of pulls) {
        const file = path.join(folder, `${dialect}-${seed}-${name}`);
        const receipt = `${file}.receipt`;
        const argv = [...words.split(" "), "--out", file, "--receipt", receipt, "--rpm", "unlimited", "-q"];
        const { exit, stderr } = await dexdata(argv, { env: sandbox.env() });
        expect(exit, `${words}: ${stderr}`).toBe(0);
        files.push(file);
        receipts.push(receipt);
      }
      for (const names of [files, receipts]) {
        const { exit, stdout, stderr } = await dexdata(["verify", ...names, "-o", "ndjson"]);
        // A limited list has more rows, and the newest candle is partial.
        const told = rowsOf(stdout).filter(({ rule }) => rule !== "H2" && rule !== "H3");
        expect(told.slice(0, 5)).toEqual([]);
        expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      }
      const counts = await dexdata(["verify", ...files, "-o", "table", "--no-header"]);
      for (const line of counts.stdout.split("\n")) {
        const rows = /^ *(?<rows>[\d,]+) +0 +\d/u.exec(line)?.groups?.["rows"];
        rowsInAll += Number((rows ?? "0").replaceAll(",", ""));
      }
    }, 1_200_000);
  });
});

test("the series had as many rows as it promises", () => {
  expect(rowsInAll).toBeGreaterThanOrEqual(isLong ? 1_000_000 : 10_000);
});
