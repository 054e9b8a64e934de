import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const swaps = `txns ethereum ${pool} --from -1h --all`;

async function run(words: string, isTerminal = true) {
  const env = { ...sandbox.env(), NO_COLOR: "1" };
  const outcome = await dexdata(words, { env, now: sandboxNow, isTerminal: { stderr: isTerminal } });
  return { exit: outcome.exit, lines: outcome.stderr.trimEnd().split("\n") };
}

const at = (name: string): string => path.join(folder, name);

describe("after --out, a terminal shows how many rows the file has", () => {
  test.each([
    [swaps, "swaps.ndjson", /^137 rows in FILE, complete$/u],
    [swaps, "swaps.csv.gz", /^137 rows in FILE, complete$/u],
    [swaps, "swaps.parquet", /^137 rows in FILE, complete$/u],
    [swaps, "swaps-{date-hour}.ndjson", /^137 rows in 2 files \(FILE\), complete$/u],
    [swaps, "swaps-{date-hour}.parquet", /^137 rows in 2 files \(FILE\), complete$/u],
    ["dexes ethereum --all", "dexes.json", /^\d+ rows in FILE, complete$/u],
    ["networks", "networks.csv", /^\d+ rows in FILE, complete$/u],
    ["networks --limit 500", "networks-500.csv", /^\d+ rows in FILE, complete$/u],
    [`pool ethereum ${pool}`, "pool.json", /^1 row in FILE, complete$/u],
    [`ohlcv ethereum ${pool} --pool --from -3h`, "candles.ndjson", /^[34] rows in FILE, complete$/u],
    [
      `ohlcv ethereum ${pool} --pool --from -3h --chart`,
      "chart.txt",
      /^chart of [34] candles in FILE, complete$/u,
    ],
    ["api /networks/ethereum/pools/search", "document.json", /^1 response in FILE$/u],
  ])("%s --out %s", async (words, name, form) => {
    const { exit, lines } = await run(`${words} --out ${at(name)}`);
    expect(exit).toBe(0);
    const line = lines.find((each) => each.includes(at(name)));
    expect(line?.replace(at(name), "FILE")).toMatch(form);
    expect(lines.at(-1)).toMatch(/^\d+ requests?, \d+ credits?/u);
  });

  test.each(["pools search ethereum", "pools search ethereum --limit 3", "networks --limit 3"])(
    "%s: a list that the limit cut short is not called complete",
    async (words) => {
      const { lines } = await run(`${words} --out ${at("cut.ndjson")} --force`);
      expect(lines).toContainEqual(expect.stringMatching(/^(?:10|3) rows in .*cut\.ndjson, limit reached$/u));
    },
  );

  test("with a pattern, the only file is named", async () => {
    const { lines } = await run(`pools search ethereum --limit 3 --out ${at("of-{network}.ndjson")}`);
    expect(lines).toContain(`3 rows in ${at("of-ethereum.ndjson")}, limit reached`);
  });

  test("an incomplete result gives the reason", async () => {
    const missing = "0x0000000000000000000000000000000000000001";
    const pools = await run(`pool ethereum ${pool} ${missing} --out ${at("two.ndjson")}`);
    expect(pools.exit).toBe(8);
    expect(pools.lines).toContain(`1 row in ${at("two.ndjson")}, incomplete: 1 input rejected`);
    const words = `prices ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 ${missing}`;
    const some = await run(`${words} --out ${at("some.csv")}`);
    expect(some.exit).toBe(0);
    expect(some.lines).toContain(`1 row in ${at("some.csv")}, 1 price missing`);
    const prices = await run(`${words} --missing fail --out ${at("p.csv")}`);
    expect(prices.exit).toBe(8);
    expect(prices.lines).toContain(`1 row in ${at("p.csv")}, incomplete: 1 price missing`);
  });

  test("a pull that ran out of credits has only its error, and the resumed one counts the rows of both runs", async () => {
    const file = at("resumed.ndjson");
    const words = `${swaps} --page-size 50 --out ${file} --resume`;
    const first = await run(`${words} --max-credits 1`);
    expect(first.exit).toBe(5);
    expect(first.lines.filter((line) => line.includes("rows in"))).toEqual([]);
    expect(first.lines).toContainEqual(expect.stringMatching(/^error: .*; 50 rows written$/u));
    const second = await run(words);
    expect(second.lines).toContain(`137 rows in ${file}, complete`);
    const third = await run(`${words} --receipt ${at("resumed.json")} --force`.replace(" --resume", ""));
    expect(third.lines).toContain(`137 rows in ${file}, complete`);
    const again = await run(`${words} --receipt ${at("resumed.json")}`);
    expect(again.lines[0]).toBe(`${file} is already complete: 137 rows`);
  });

  test("nothing in a pipe or with -q, unless --stats requests a summary", async () => {
    expect((await run(`${swaps} --out ${at("pipe.ndjson")}`, false)).lines).toEqual([""]);
    expect((await run(`${swaps} --out ${at("quiet.ndjson")} -q`)).lines).toEqual([""]);
    expect(existsSync(at("quiet.ndjson"))).toBe(true);
    const { lines } = await run(`${swaps} --out ${at("stats.ndjson")} --stats`, false);
    expect(lines).toEqual([
      `137 rows in ${at("stats.ndjson")}, complete`,
      expect.stringMatching(/^2 requests, 2 credits/u),
    ]);
  });

  test("nothing without --out", async () => {
    const { lines } = await run(swaps);
    expect(lines.filter((line) => line.includes("rows in"))).toEqual([]);
  });
});
