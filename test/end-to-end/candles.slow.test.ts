import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { startSandbox } from "../harness/bundled-sandbox.ts";
import { type LongPull, longPull } from "../harness/long-pull.ts";
import { sandboxNow } from "../harness/sandbox.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

let sandbox: RunningSandbox | undefined;
beforeAll(async () => {
  sandbox = await startSandbox({
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    requestsPerMinute: Number.POSITIVE_INFINITY,
  });
});
afterAll(async () => await sandbox?.close());

/** Minutes from this time to 2026-11-20. */
async function pull(from: string): Promise<LongPull> {
  if (sandbox === undefined) throw new Error("the sandbox is not running");
  const window = ["--interval", "1m", "--from", from, "--to", "2026-11-20"];
  const pulled = await longPull(
    [
      "ohlcv",
      "ethereum",
      pool,
      "--pool",
      ...window,
      "--fill",
      "null",
      "--fields",
      "time_open",
      "--rpm",
      "unlimited",
    ],
    { DEXDATA_API_KEY: sandbox.keys.pro, DEXDATA_TIER: "pro", DEXDATA_PRO_BASE_URL: sandbox.restPaid },
  );
  expect(pulled).toMatchObject({ exit: 0, stderr: "" });
  return pulled;
}

test(
  "a year of minutes is streamed: 525,600 rows need no more memory than a tenth of them",
  { timeout: 240_000 },
  async () => {
    const tenth = await pull("2026-10-14T12:00:00Z");
    const year = await pull("2025-11-20");
    expect([tenth.rows, year.rows]).toEqual([52_560, 525_600]);
    // The responses alone are 110 MB; memory use differs with the time of garbage collection.
    expect(year.peakMegabytes - tenth.peakMegabytes).toBeLessThan(60);
  },
);
