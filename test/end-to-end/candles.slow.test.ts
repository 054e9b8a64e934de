import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { startSandbox } from "../harness/bundled-sandbox.ts";
import { isLong } from "../harness/long.ts";
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

/** The days of a long pull, all of 2026-11-19 and before. */
const days = isLong ? 365 : 60;

test(
  `${days} days of minutes are streamed, and need no more memory than a tenth of them`,
  { timeout: 240_000 },
  async () => {
    const daysBefore = (count: number): string =>
      new Date(Date.parse("2026-11-20") - count * 86_400_000).toISOString();
    const tenth = await pull(daysBefore(days / 10));
    const all = await pull(daysBefore(days));
    expect([tenth.rows, all.rows]).toEqual([days * 144, days * 1440]);
    // The responses of a year alone are 110 MB, those of the short form 18 MB; memory use differs with the time of
    // garbage collection.
    expect(all.peakMegabytes - tenth.peakMegabytes).toBeLessThan(isLong ? 60 : 15);
  },
);
