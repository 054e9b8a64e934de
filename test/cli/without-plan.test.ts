import path from "node:path";
import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const token = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
/** Few rows a day. */
const quiet = "0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f";

async function run(words: string, tier: "keyless" | "free") {
  return await dexdata(words, {
    env: sandbox.env(tier),
    now: sandboxNow,
    isTerminal: { stderr: true },
  });
}

/** What a rejected command suggests, by the wire's lists of paid endpoints; `<pool>` is for the user to fill in. */
const cases: readonly (readonly [words: string, suggested: string])[] = [
  [`txns ethereum ${pool}`, `dexdata pool ethereum ${pool}`],
  [`ohlcv ethereum ${token}`, "dexdata ohlcv ethereum <pool> --pool --chart"],
  [`sync DIR ethereum:${pool}`, `dexdata sync <new directory> ethereum:${pool} --kind ohlcv`],
  [`sync DIR ethereum:${pool} --estimate`, `dexdata sync <new directory> ethereum:${pool} --kind ohlcv`],
  [
    `sync DIR ethereum:${token} --kind token-ohlcv`,
    "dexdata sync <new directory> ethereum:<pool> --kind ohlcv",
  ],
];

test.each(["keyless", "free"] as const)(
  "on the %s plan, a hint names what works without a paid one",
  async (tier) => {
    for (const [index, [words, suggested]] of cases.entries()) {
      const root = path.join(folder, `${tier}-${index}`);
      const rejected = await run(words.replace("DIR", root), tier);
      expect({ words, exit: rejected.exit }).toEqual({ words, exit: 4 });
      const command = /alternative without a paid plan: dexdata (.+)\n/u.exec(rejected.stderr)?.[1] ?? "";
      expect(`dexdata ${command}`).toBe(suggested);
      const filled = command.replace("<pool>", pool).replace("<new directory>", `${root}-new`);
      const { exit, stdout } = await run(filled, tier);
      expect({ command, exit, isEmpty: stdout === "" }).toEqual({ command, exit: 0, isEmpty: false });
      if (command.startsWith("sync")) expect((await run(`sync ${root}-new`, tier)).exit).toBe(0);
    }
  },
);

const polled = "--watch 10s";

test.each([
  [`stream ethereum:${pool} --feed transactions`, `dexdata pool ethereum:${pool}`],
  [`stream ethereum:${token} --feed transactions --by token`, `dexdata prices ethereum:${token}`],
  [`stream ethereum:${token} --feed ohlcv`, `dexdata prices ethereum:${token}`],
])("%s names a command that works without a key", async (words, suggested) => {
  const rejected = await run(words, "keyless");
  expect(rejected.exit).toBe(4);
  expect(rejected.stderr).toContain(`; alternative without a paid plan: ${suggested} ${polled}\n`);
  // Without --watch, which never ends by itself.
  const { exit, stdout } = await run(suggested.replace("dexdata ", ""), "keyless");
  expect({ exit, isEmpty: stdout === "" }).toEqual({ exit: 0, isEmpty: false });
});

test.each([
  [`txns ethereum ${pool}`, "txns"],
  [`ohlcv ethereum ${token}`, "ohlcv"],
  [`prices ethereum ${token} --at -2h`, "prices --at"],
  [`sync ${path.join(folder, "estimated")} ethereum:${token} --kind token-ohlcv`, "--kind token-ohlcv"],
])("the estimate of %s says that the plan does not include it", async (words, what) => {
  const keyless = await run(`${words} --estimate`, "keyless");
  expect(keyless.stderr).toContain(`warning: ${what} requires a dev plan or higher; no key is set\n`);
  const free = await run(`${words} --estimate`, "free");
  expect(free.stderr).toContain(
    `warning: ${what} requires a dev plan or higher; your key is on the free plan\n`,
  );
  const dev = await dexdata(`${words} --estimate`, { env: sandbox.env("dev"), now: sandboxNow });
  expect({ exit: dev.exit, stderr: dev.stderr }).toEqual({ exit: 0, stderr: "" });
});

test("if every dataset of a sync is refused, each refusal is printed once", async () => {
  const other = "0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b";
  const words = `sync ${path.join(folder, "refused")} ethereum:${pool} ethereum:${other}`;
  const { exit, stderr } = await run(`${words} --error-format text`, "keyless");
  expect(exit).toBe(4);
  const errors = stderr.split("\n").filter((line) => line.startsWith("error: "));
  expect(errors.toSorted()).toEqual(
    [pool, other].map(
      (address) =>
        `error: transactions of ethereum:${address}: txns requires a dev plan or higher; no key is set`,
    ),
  );
  const inJson = await run(`${words} --error-format json`, "keyless");
  const lines = inJson.stderr.split("\n").filter((line) => line.startsWith("{"));
  expect(lines.map((line) => (line.includes(pool) ? pool : other)).toSorted()).toEqual([pool, other]);
  expect(new Set(lines).size).toBe(2);
});

test.each([
  [
    "token-ohlcv",
    pool,
    "remove the asset's line from assets.ndjson; for candles of a pool, use --kind ohlcv; ",
  ],
  [
    "ohlcv",
    token,
    "remove the asset's line from assets.ndjson; for candles of a token, use --kind token-ohlcv; ",
  ],
])(
  "sync --kind %s of the other kind of asset names a kind, not a flag of ohlcv",
  async (kind, address, next) => {
    const words = `sync ${path.join(folder, `other-${kind}`)} ethereum:${address} --kind ${kind}`;
    const { exit, stderr } = await dexdata(words, {
      env: sandbox.env("pro"),
      now: sandboxNow,
      isTerminal: { stderr: true },
    });
    expect(exit).toBe(3);
    expect(stderr).toContain(`hint: ${next}`);
    expect(stderr).not.toContain("--pool");
  },
);

test("sync names the line of an asset that does not exist, at first and in later runs", async () => {
  const words = `sync ${path.join(folder, "wrong")}`;
  const runs = [`${words} ethereum:${token}`, `${words} ethereum:${quiet} --from -1d`, words];
  const hint =
    "  hint: remove the asset's line from assets.ndjson; " +
    `for a token, list its pools: dexdata pools search ethereum --token ${token}; search all networks: `;
  for (const [index, argv] of runs.entries()) {
    const options = { env: sandbox.env("pro"), now: sandboxNow };
    const { exit, stderr } = await dexdata(`${argv} --error-format text`, options);
    expect(exit).toBe(index === 0 ? 3 : 8);
    expect(stderr.split("\n").filter((line) => line.startsWith(hint))).toHaveLength(1);
  }
});

test.each([
  ["transactions", /^the service's current number of rows(?!.*candle)/u],
  ["ohlcv", /^one candle per interval, up to 1,000 candles per request$/u],
  ["transactions,ohlcv", /^the service's current number of rows.*; one candle per interval/u],
])("the estimate of sync --kind %s names what it is based on", async (kind, basis) => {
  const words = `sync ${path.join(folder, "based")} ethereum:${pool} --kind ${kind} --estimate`;
  const { stdout } = await dexdata(words, { env: sandbox.env("pro"), now: sandboxNow });
  expect(JSON.parse(stdout)).toMatchObject({ certainty: "about", basis: expect.stringMatching(basis) });
});
