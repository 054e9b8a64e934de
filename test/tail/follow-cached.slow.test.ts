import { expect, test } from "vitest";
import { sandboxNow } from "../harness/sandbox.ts";
import { marketRows, startFollowing, writtenRows } from "./following.ts";

/** Follows for 8 minutes behind a cache, and counts the requests for transactions. */
async function follow(faults: string, words: string) {
  // A list with several pages cannot be read through a cache that ignores the query.
  const [seconds, pace] = faults.includes(":path") ? [60, 1] : [600, 3];
  const start = sandboxNow - seconds * 1000;
  const following = await startFollowing(`--from ${start / 1000} --for 8m -o ndjson ${words}`, {
    sandbox: { faults },
    pace,
    speed: 1000,
  });
  const { stdout, stderr, exit } = await following.outcome;
  const rows = writtenRows(stdout);
  return { rows, stderr, exit, start, end: following.simulated(), requests: following.log.length };
}

test.each([
  ["edge-cache=60s", "--poll 10s"],
  ["edge-cache=60s:free,503:10%", ""],
  ["edge-cache=60s:path", "--poll 10s"],
  ["edge-cache=60s:path", ""],
])("behind %s, every row is written once (%s)", async (faults, words) => {
  const { rows, stderr, exit, start, end, requests } = await follow(faults, words);
  expect(`${exit}${stderr}`).toMatch(/^0/u);
  // The last rows may still be behind the cache when the run ends.
  expect(rows).toEqual(marketRows(1, start, end).slice(0, rows.length));
  expect(rows.length).toBeGreaterThanOrEqual(marketRows(1, start, end - 600_000).length);
  expect(stderr.match(/responses from the service/gu)?.length ?? 0).toBeLessThan(2);
  expect(requests).toBeLessThan(90);
});
