import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isAtLeast, plans } from "../../../src/api/tier.ts";
import { poolTransactions } from "../../../src/api/endpoints/pool-transactions.ts";
import { readsPerHour } from "../../../src/cli/commands/follow/followed-lists.ts";
import { costOverTime, creditsPerMonth } from "../../../src/cli/run/spending/estimate.ts";
import { dexdata } from "../../harness/dexdata.ts";
import { useSandbox } from "../../harness/sandbox.ts";

const sandbox = useSandbox();
const weth = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const page = async (words: string): Promise<string> => (await dexdata(words)).stdout.replaceAll(/\s+/gu, " ");

test("help credits has the price of overage, as the guide has", async () => {
  const sentence = "at 20 USD per million credits, up to its spending cap";
  expect(await page("help credits")).toContain(sentence);
  expect(readFileSync("docs/guide.md", "utf8").replaceAll(/\s+/gu, " ")).toContain(sentence);
});

test("the collector of the recipes has a plan whose credits are enough", () => {
  const recipes = readFileSync("docs/recipes.md", "utf8").replaceAll(/\s+/gu, " ");
  const ofPools = (pools: number, minutes: number): number => pools * readsPerHour(minutes * 60_000);
  const monthly = (pools: number, minutes: number): number => creditsPerMonth(ofPools(pools, minutes));
  expect(recipes).toContain(
    `100 pools every minute take about ${costOverTime(ofPools(100, 1))}, which requires a pro`,
  );
  expect(recipes).toContain("DEXDATA_TIER=pro");
  expect(monthly(100, 1)).toBeGreaterThan(plans.dev.creditsPerMonth ?? 0);
  expect(monthly(100, 1)).toBeLessThanOrEqual(plans.pro.creditsPerMonth ?? 0);
  for (const [pools, minutes] of [
    [100, 10],
    [11, 1],
  ] as const) {
    expect(monthly(pools, minutes)).toBeLessThanOrEqual(plans.dev.creditsPerMonth ?? 0);
    expect(recipes).toContain(`(${monthly(pools, minutes).toLocaleString("en-US")} a month)`);
  }
  expect(isAtLeast("free", poolTransactions.plan)).toBe(false);
});

test("the cost of a token's transactions is stated in help, in the page and in the first line of the stream", async () => {
  for (const words of ["stream --help", "help streams"])
    expect(await page(words)).toMatch(/--feed transactions --by token .*a thousand times/u);
  expect(readFileSync("docs/streams.md", "utf8")).toMatch(
    /--feed transactions --by token`[^.]*\. That can be a thousand times/u,
  );
  const first = async (flags: string): Promise<string> => {
    const words = `stream ${weth} ${flags} --for 1ms -o ndjson`;
    const { stderr } = await dexdata(words, { isTerminal: true, env: sandbox.env() });
    return stderr.split("\n").find((line) => line.includes("1 asset on 1 connection")) ?? stderr;
  };
  expect(await first("--feed transactions --by token")).toContain(
    "can cost a thousand times as much as one pool",
  );
  expect(await first("--feed prices")).not.toContain("thousand");
});

test("no page compares the price of an event as a number without converting it", () => {
  for (const name of ["README.md", "docs/streams.md", "docs/recipes.md", "docs/guide.md"]) {
    const text = readFileSync(name, "utf8");
    for (const [line] of text.matchAll(/select\(\(?\.(?:price|p)\b.*/gu))
      expect(line).toMatch(/tonumber|selects all events/u);
  }
  expect(readFileSync("docs/streams.md", "utf8")).toContain("select((.price | tonumber) > 99999)");
});
