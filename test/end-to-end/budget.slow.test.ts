import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { type Ledger, openLedger } from "../harness/ledger.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();

let ledger: Ledger | undefined;
afterEach(async () => await ledger?.close());

/** A process that spends up to `count` credits: each unknown pool costs one. */
function pull(env: Readonly<Record<string, string>>, count: number) {
  const child = start(["pool", "ethereum", "-", "--rpm", "unlimited"], env);
  // A killed process no longer reads.
  child.stdin.on("error", () => undefined);
  child.stdin.end(
    Array.from({ length: count }, (_, index) => `0x${String(index).padStart(40, "0")}\n`).join(""),
  );
  return child;
}

test("eight processes at once spend exactly the daily budget", async () => {
  ledger = await openLedger({ faults: "429:10%,500:5%" });
  const env = {
    ...ledger.env(),
    DEXDATA_STATE_DIR: path.join(folder, "eight"),
    DEXDATA_BUDGET_DAILY: "50",
    DEXDATA_RETRIES: "20",
  };
  const runs = await Promise.all(Array.from({ length: 8 }, async () => await ended(pull(env, 15), 60_000)));
  expect(ledger.charged()).toBe(50);
  // Each response that was paid for is in the output.
  const output = runs.map(({ stderr }) => stderr).join("");
  expect(output.match(/"code":"not_found"/gu)).toHaveLength(50);
  expect(runs.map(({ exit }) => exit).filter((exit) => exit !== 5 && exit !== 3)).toEqual([]);
  expect(runs.filter(({ exit }) => exit === 5).length).toBeGreaterThanOrEqual(4);
});

test("credits reserved by a killed process count as spent", async () => {
  ledger = await openLedger({ latencyMs: 20 });
  const env = {
    ...ledger.env(),
    DEXDATA_STATE_DIR: path.join(folder, "killed"),
    DEXDATA_BUDGET_DAILY: "60",
  };
  for (let round = 1; round <= 3; round += 1) {
    const child = pull(env, 40);
    const end = ended(child);
    const goal = ledger.requests() + 5;
    while (ledger.requests() < goal) await wait(2);
    child.kill("SIGKILL");
    expect((await end).signal).toBe("SIGKILL");
  }
  const { exit } = await ended(pull(env, 80));
  expect(exit).toBe(5);
  expect(ledger.charged()).toBeLessThanOrEqual(60);
  // Each killed process had at most eight requests in flight.
  expect(ledger.charged()).toBeGreaterThanOrEqual(60 - 3 * 8);
});
