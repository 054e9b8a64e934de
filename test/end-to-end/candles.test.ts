import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { ended, start } from "../harness/binary.ts";
import { startSandbox } from "../harness/bundled-sandbox.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const folder = temporaryFolder();
const measure = path.join(folder, "measure.cjs");

let sandbox: RunningSandbox | undefined;
beforeAll(async () => {
  sandbox = await startSandbox({
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    requestsPerMinute: Number.POSITIVE_INFINITY,
  });
  // The program's own peak, which nobody else can read after its end.
  writeFileSync(
    measure,
    `process.on("exit", () => require("node:fs").writeFileSync(process.env.PEAK, String(process.resourceUsage().maxRSS)));`,
  );
});
afterAll(async () => await sandbox?.close());

/** Minutes from then to 2026-11-20: how many rows came, and the program's peak of memory in MB. */
async function pull(from: string): Promise<{ readonly rows: number; readonly peak: number }> {
  if (sandbox === undefined) throw new Error("the sandbox is not running");
  const peak = path.join(folder, from);
  const words = [
    "ohlcv",
    "ethereum",
    pool,
    "--pool",
    "--interval",
    "1m",
    "--from",
    from,
    "--to",
    "2026-11-20",
  ];
  const { exit, stdout, stderr } = await ended(
    start([...words, "--fill", "null", "--fields", "time_open", "--rpm", "unlimited"], {
      DEXDATA_API_KEY: sandbox.keys.pro,
      DEXDATA_TIER: "pro",
      DEXDATA_PRO_BASE_URL: sandbox.restPaid,
      NODE_OPTIONS: `--require ${measure}`,
      PEAK: peak,
    }),
    120_000,
  );
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  let rows = 0;
  for (let at = stdout.indexOf(10); at >= 0; at = stdout.indexOf(10, at + 1)) rows += 1;
  return { rows, peak: Number(readFileSync(peak, "utf8")) / 1024 };
}

test(
  "a year of minutes streams: 525,600 rows need no more memory than a tenth of them",
  { timeout: 240_000 },
  async () => {
    const tenth = await pull("2026-10-14T12:00:00Z");
    const year = await pull("2025-11-20");
    expect([tenth.rows, year.rows]).toEqual([52_560, 525_600]);
    // Bodies alone are 110 MB; what differs is when garbage is collected.
    expect(year.peak - tenth.peak).toBeLessThan(60);
  },
);
