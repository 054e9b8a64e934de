import path from "node:path";
import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
/** Trades in few pools, so that the sandbox has less to fold. */
const token = "ethereum 0x85ade1e7513bf30c550191a1094cf6cafc120926";
const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const file = path.join(temporaryFolder(), "rows.ndjson");

/** `--max-credits` ends the run long before the announced cost. */
async function announced(words: string, isTerminal = true): Promise<string | undefined> {
  const { stderr } = await dexdata(`${words} --max-credits 2`, { isTerminal, env: sandbox.env() });
  return stderr.split("\n").find((line) => line.includes("reading "));
}

test("the cost of a long table on a terminal is shown before it is spent", async () => {
  expect(await announced(`ohlcv ${token} --interval 1m --from -30d`)).toBe(
    "reading up to 43,200 rows for about 44 credits; to save them, use --out FILE, or use a longer --interval",
  );
  expect(await announced("pools search ethereum --limit 3000")).toBe(
    "reading 3,000 rows for about 30 credits; to save them, use --out FILE",
  );
  // Only the first response contains the number of rows.
  expect(await announced(`txns ${pool} --from -7d --all`)).toMatch(
    /^reading [\d,]+ rows for about \d+ credits; to save them, use --out FILE$/u,
  );
});

test("a short table, another format, a file and a pipe cost what was typed", async () => {
  expect(await announced(`ohlcv ${token} --interval 1h --from -7d`)).toBeUndefined();
  expect(await announced(`txns ${pool} --limit 300`)).toBeUndefined();
  expect(await announced("pools search ethereum --limit 3000 -o ndjson")).toBeUndefined();
  expect(await announced(`pools search ethereum --limit 3000 --out ${file} -o table`)).toBeUndefined();
  expect(await announced("pools search ethereum --limit 3000 -o table", false)).toBeUndefined();
  expect(await announced("pools search ethereum --limit 3000 -q")).toBeUndefined();
});
