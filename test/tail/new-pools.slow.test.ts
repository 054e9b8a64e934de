import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { run } from "../harness/dexdata.ts";
import { answerSearch, createNewPools, newPoolsStart } from "../harness/new-pools.ts";
import { rowsOf } from "../harness/rows.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";
import { envOf } from "./following.ts";

const pools = createNewPools(200);
const start = newPoolsStart;

/** Runs for this long, on a clock that goes on from run to run. */
async function service() {
  const { clock } = createTestContext({ speed: 2000 });
  const now = (): number => start + clock.elapsed() / 1000;
  const { url, requests } = await serveInTest((request) => answerSearch(pools, now(), request));
  return {
    now,
    requests,
    follow: async (words: string) => {
      const context = createTestContext({ env: envOf(url), random: 0.5, speed: 2000 });
      const wall = { ...clock, now: () => now() * 1000 };
      return await run(`pools search base --follow --rpm 3000 ${words}`.split(" "), {
        ...context,
        clock: wall,
      });
    },
  };
}

test("pools search --follow prints each pool once, oldest first in each read, through bursts, late pools and restarts", async () => {
  const { follow, now, requests } = await service();
  const out = path.join(createTestContext().home, "new-{date}.ndjson");
  for (let runs = 0; runs < 4; runs += 1) {
    const { exit, stderr } = await follow(`--for 14m --out ${out} --envelope`);
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
  }
  const rows = ["2026-11-21", "2026-11-22"].flatMap((date) => {
    try {
      return rowsOf(readFileSync(out.replace("{date}", date), "utf8"));
    } catch {
      return [];
    }
  });
  const ids = rows.map(({ row }) => String(Object(row).id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(rows.every(({ first_seen }) => /^2026-11-2\dT/u.test(String(first_seen)))).toBe(true);
  const written = new Set(ids);
  const wanted = pools.filter(
    ({ createdAt, listedAt }) => createdAt > start + 5 && listedAt < now() - 300 && createdAt < now() - 1200,
  );
  expect(wanted.length).toBeGreaterThan(1000);
  expect(wanted.filter(({ id }) => !written.has(id))).toEqual([]);
  expect(ids.length).toBeLessThanOrEqual(pools.filter(({ createdAt }) => createdAt >= start).length);
  console.log(
    `${requests.length} requests for ${ids.length} pools in ${Math.round((now() - start) / 60)} minutes`,
  );
});
