import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { breakSeal, sealFooter } from "../../src/rows/parquet/file-mark.ts";
import { dataFiles, rowsBelow, stampsOf, usdcWeth } from "../harness/lake.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const hour = 3_600_000;
let now = sandboxNow;
const sandbox = useSandbox({ now: () => now, requestsPerMinute: Number.POSITIVE_INFINITY });
const folder = temporaryFolder();

const sync = async (...words: readonly string[]) =>
  await dexdata(["sync", ...words, "--rpm", "unlimited"], { now, env: sandbox.env() });

/** A pool with a hundred transactions a day. */
const quiet = "0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f";

test.each([
  ["ohlcv", usdcWeth, 500],
  ["ohlcv", usdcWeth, 3000],
  ["transactions", quiet, 500],
] as const)(
  "%s of a month of %s with a damaged byte %d: the run that finds it reads all of its rows again",
  async (kind, pool, at) => {
    now = sandboxNow;
    const root = path.join(folder, `${kind}-${at}`);
    const begun = ["--kind", kind, "--from", "2026-11-20"];
    expect((await sync(root, `ethereum:${pool}`, ...begun)).exit).toBe(0);
    const undamaged = path.join(folder, `${kind}-${at}-undamaged`);
    cpSync(root, undamaged, { recursive: true });
    const file = path.join(root, dataFiles(root).find((name) => name.endsWith("open.parquet")) ?? "");
    const bytes = readFileSync(file);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    // Its footer is as before, so only a run that has to add rows reads the others.
    now += 2 * hour;
    const outcome = await sync(root);
    expect(outcome.exit).toBe(0);
    expect(outcome.stderr).toContain("the earlier file is in .dexdata/replaced");
    expect((await sync(undamaged)).exit).toBe(0);
    expect(await rowsBelow(root)).toEqual(await rowsBelow(undamaged));
  },
);

/** As a version would write the file that has raised `v`. */
function raiseVersion(file: string): void {
  const bytes = readFileSync(file);
  bytes.write("9", bytes.lastIndexOf('{"v":') + '{"v":'.length);
  const footer = bytes.subarray(bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8));
  breakSeal(footer);
  sealFooter(footer);
  writeFileSync(file, bytes);
}

test("a file of a later version is neither replaced nor read", async () => {
  now = sandboxNow;
  const root = path.join(folder, "later");
  expect((await sync(root, `ethereum:${usdcWeth}`, "--kind", "ohlcv", "--from", "2026-11-20")).exit).toBe(0);
  const file = path.join(root, dataFiles(root).find((name) => name.endsWith("open.parquet")) ?? "");
  raiseVersion(file);
  const before = stampsOf(root);
  now += 2 * hour;
  const verified = await dexdata(["verify", root], { now, env: sandbox.env() });
  for (const { exit, stdout, stderr } of [await sync(root), await sync(root, "--force"), verified]) {
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`${file} was written by a later version of dexdata`);
  }
  expect(stampsOf(root)).toEqual(before);
});
