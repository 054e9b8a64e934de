import path from "node:path";
import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const token = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

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
      const command = /without a paid plan, use: dexdata (.+)\n/u.exec(rejected.stderr)?.[1] ?? "";
      expect(`dexdata ${command}`).toBe(suggested);
      const filled = command.replace("<pool>", pool).replace("<new directory>", `${root}-new`);
      const { exit, stdout } = await run(filled, tier);
      // A new directory begins with days that the keyless plan does not include, and the first run reports them.
      const expected = tier === "keyless" && command.startsWith("sync") ? 8 : 0;
      expect({ command, exit, isEmpty: stdout === "" }).toEqual({ command, exit: expected, isEmpty: false });
      if (command.startsWith("sync")) expect((await run(`sync ${root}-new`, tier)).exit).toBe(0);
    }
  },
);
