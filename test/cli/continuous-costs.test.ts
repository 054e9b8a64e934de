import path from "node:path";
import { expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { hasFlag } from "../../src/cli/commands/command.ts";
import { dexdata } from "../harness/dexdata.ts";
import { toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
const weth = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const pool = "ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** By command, the words of each way in which it runs without an end. */
const continuous: Readonly<Record<string, readonly string[]>> = {
  pool: [`${pool} --watch 1m`],
  txns: [`${pool} --watch 1m`, `${pool} --follow --poll 1m`, `${pool} ${pool.slice(0, -1)}1 --follow`],
  prices: [`${weth} --watch 1m`],
  token: [`${weth} --watch 1m`],
  "tokens search": ["--watch 1m"],
  "pools search": ["--watch 1m", "--follow"],
  search: ["pepe --watch 1m"],
  ohlcv: [`${weth} --watch 1m`],
  networks: ["--watch 1m"],
  dexes: ["ethereum --watch 1m"],
  usage: ["--watch 1m"],
  sync: [`${path.join(temporaryFolder(), "lake")} --search ethereum --list big --every 1m --watch`],
};

test("every command that can run without an end is in the table, or has no estimate", () => {
  const lasting = allCommands.filter((each) => hasFlag(each, "watch") || hasFlag(each, "follow"));
  expect(lasting.map(({ words }) => words).toSorted()).toEqual(Object.keys(continuous).toSorted());
  // The cost of its events is unknown.
  const stream = allCommands.find(({ words }) => words === "stream");
  expect(stream !== undefined && hasFlag(stream, "estimate")).toBe(false);
});

const runs = Object.entries(continuous).flatMap(([command, all]) =>
  all.map((words) => `${command} ${words}`),
);

test.each(runs)(
  "%s --estimate: the cost of a month, and how long the plan's credits last, without a request",
  async (words) => {
    sandbox.takeLog();
    const { exit, stdout } = await dexdata(`${words} --estimate -o json`, { env: sandbox.env("dev") });
    expect(exit).toBe(0);
    const figures = toRow(stdout);
    const monthly = Number(figures["credits_per_month"]);
    expect(monthly).toBeGreaterThanOrEqual(43_200);
    expect(figures).toMatchObject({ plan_credits: 500_000 });
    expect(figures["plan_credits_last_days"]).toBe(Math.floor((500_000 / monthly) * 30 * 100) / 100);
    expect(sandbox.takeLog()).toEqual([]);
  },
);
