import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const specified = useSandbox();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const dai = "0x6b175474e89094c44da98b954eedeac495271d0f";
const day = 86_400_000;
const dateOf = (time: number): string => new Date(time).toISOString();

const simulated = async (words: string) =>
  await dexdata(`${words} --sandbox --error-format text -o ndjson -q`, { now: sandboxNow });
const bySpecification = async (words: string) =>
  await dexdata(`${words} --error-format text -o ndjson -q`, { env: specified.env(), now: sandboxNow });

describe("--sandbox follows the public service", () => {
  test("transactions reach back seven days, and a longer range is reported", async () => {
    const reach = dateOf(sandboxNow - 7 * day).replace(".000", "");
    const warning = `warning: the range begins before ${reach}, but the service returned no rows that old; it may keep transactions for only 7 days\n`;
    const range = `--from ${dateOf(sandboxNow - 8 * day)} --to ${dateOf(sandboxNow - 7 * day + 600_000)} --all`;
    const receipt = path.join(folder, "receipt.json");
    const some = await simulated(`txns ethereum ${pool} ${range} --receipt ${receipt}`);
    expect([some.exit, some.stderr]).toEqual([0, warning]);
    const times = rowsOf(some.stdout).map((row) => String(row["created_at"]));
    expect(times.length).toBeGreaterThan(5);
    expect(times.every((time) => time >= reach)).toBe(true);
    const why_not = warning.slice("warning: ".length, -1);
    expect(JSON.parse(readFileSync(receipt, "utf8"))).toMatchObject({
      rows: times.length,
      exit: 0,
      complete: false,
      why_not,
    });
    // An empty response about an entire day proves nothing.
    const none = await simulated(`txns ethereum ${pool} --day 2026-11-10 --all --receipt ${receipt}`);
    expect(none).toMatchObject({ exit: 8, stdout: "", stderr: warning });
    const complete_to = "2026-11-10T00:00:00Z";
    expect(JSON.parse(readFileSync(receipt, "utf8"))).toMatchObject({
      complete: false,
      complete_to,
      why_not,
    });
    const old = await simulated(`txns ethereum ${pool} --to ${dateOf(sandboxNow - 8 * day)}`);
    expect(old).toMatchObject({ exit: 0, stdout: "", stderr: warning });
    const later = await simulated(`txns ethereum ${pool} --from 2030-01-01`);
    const future = "warning: the time range begins in the future: 2030-01-01T00:00:00Z\n";
    expect(later).toMatchObject({ exit: 0, stdout: "", stderr: future });
  });

  test("a range that the service covers, or that a limit cuts, is not reported", async () => {
    const within = await simulated(`txns ethereum ${pool} --from -7d --to -167h --all`);
    expect([within.exit, within.stderr]).toEqual([0, ""]);
    const cut = await simulated(`txns ethereum ${pool} --from -30d --limit 5`);
    expect([cut.exit, cut.stderr]).toEqual([0, ""]);
    const older = await bySpecification(`txns ethereum ${pool} --from -200h --to -199h --all`);
    expect([older.exit, older.stderr]).toEqual([0, ""]);
    expect(rowsOf(older.stdout).length).toBeGreaterThan(5);
  });

  test("keyless streams have the preview assets only", async () => {
    const { exit, stderr } = await simulated(`stream ethereum:${dai} --tier keyless --limit 1`);
    expect(exit).toBe(4);
    expect(stderr).toContain(`ethereum:${dai} is not one of them`);
  });

  test("candles that the plan does not reach are named, although the 403 has only a message", async () => {
    const words = `ohlcv ethereum ${pool} --pool --from 2025-01-01 --to 2025-01-02 --tier free`;
    const { exit, stderr } = await simulated(words);
    expect(exit).toBe(4);
    expect(stderr).toMatch(/^error: --from "2025-01-01" .*requires a pro plan or higher/u);
  });

  test("a pool that is not found costs no list of networks if the network is well known", async () => {
    const { exit, stderr } = await simulated(`pool ethereum ${dai} ${dai.replace("6", "7")} --stats`);
    expect(exit).toBe(3);
    expect(stderr.match(/not found on ethereum\n/gu)).toHaveLength(2);
    expect(stderr).not.toContain("may not exist");
    expect(stderr).toMatch(/^2 requests, 2 credits/mu);
    const wrong = await simulated(`pool ethereun ${dai}`);
    expect(wrong.stderr).toMatch(/^error: unknown network "ethereun"\n[^]*hint: did you mean ethereum\?\n/u);
  });

  test.each([
    [`txns eth ${pool} --follow`, "did you mean ethereum? Otherwise, for a token, "],
    [`txns eth:${pool} base:${pool} --follow --poll 5s`, "did you mean ethereum? Otherwise, for a token, "],
    ["pools search eth --follow", "did you mean ethereum?\n"],
    ["sync DIR --search eth --list new", "did you mean ethereum?\n"],
    [
      `sync DIR eth:${pool} --kind transactions --estimate`,
      "did you mean ethereum? Otherwise, for a token, ",
    ],
    [
      `sync DIR eth:${pool} --kind ohlcv`,
      "remove the asset's line from assets.ndjson; did you mean ethereum? Otherwise, for candles of a token, ",
    ],
  ])("%s suggests the network without a list of networks", async (words, hint) => {
    const { exit, stderr } = await simulated(words.replace("DIR", path.join(folder, String(words.length))));
    expect(exit).toBe(3);
    expect(stderr).toContain("the network");
    expect(stderr).toContain(`\n  hint: ${hint}`);
  });
});
