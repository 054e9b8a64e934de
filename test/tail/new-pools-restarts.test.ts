import { readFileSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { run } from "../harness/dexdata.ts";
import { answerSearch, newPoolsStart as start } from "../harness/new-pools.ts";
import { json } from "../harness/scripted-server.ts";
import { rowsOf } from "../harness/rows.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";
import { envOf } from "./following.ts";

const hour = 3600;

/** A pool every so many hours, from a week before the start. */
function createRarePools(hours: number) {
  return Array.from({ length: 240 / hours }, (_, index) => {
    const createdAt = start - 168 * hour + index * hours * hour;
    return { id: `0x${(index + 1).toString(16).padStart(40, "0")}`, createdAt, listedAt: createdAt };
  });
}

test.each([11, 30, 72])("a search that finds a pool every %d hours: restarts repeat none", async (hours) => {
  const pools = createRarePools(hours);
  let now = start;
  const { url } = await serveInTest((request) => answerSearch(pools, now, request));
  const context = createTestContext();
  const out = path.join(context.home, "new.ndjson");
  for (let runs = 0; runs < 4; runs += 1) {
    const running = createTestContext({ env: envOf(url), now: now * 1000, speed: 2000 });
    const words = `pools search base --follow --created-after ${start - 167 * hour} --for 5m --out ${out}`;
    expect(await run(words.split(" "), running)).toMatchObject({ exit: 0 });
    // The checkpoint is written again and again, the file only when a pool comes.
    utimesSync(out, start, start - 24 * hour);
    now += 13 * hour;
  }
  const last = now - 13 * hour;
  const wanted = pools.filter(({ createdAt }) => createdAt > start - 167 * hour && createdAt <= last);
  expect(rowsOf(readFileSync(out, "utf8")).map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
});

test("a week of many pools is written in parts, so a failure discards only the last of them", async () => {
  const pools = Array.from({ length: 7 * 300 }, (_, index) => {
    const createdAt = start - (7 * 300 - index) * 288;
    return { id: `0x${(index + 1).toString(16).padStart(40, "0")}`, createdAt, listedAt: createdAt };
  });
  let isDown = true;
  const { url, requests } = await serveInTest((request) =>
    isDown && !request.query.has("created_before")
      ? json({ message: "down" }, { status: 503, headers: { date: new Date(start * 1000).toUTCString() } })
      : answerSearch(pools, start, request),
  );
  const out = path.join(createTestContext().home, "new.ndjson");
  const words = `pools search base --follow --created-after ${start - 168 * hour} --for 5m --out ${out}`;
  const follow = async (): Promise<number> =>
    (await run(words.split(" "), createTestContext({ env: envOf(url), now: start * 1000, speed: 2000 })))
      .exit;
  const ids = (): readonly unknown[] => rowsOf(readFileSync(out, "utf8")).map(({ id }) => id);
  expect(await follow()).toBe(8);
  expect(ids()).toEqual(pools.slice(0, 1801).map(({ id }) => id));
  isDown = false;
  const before = requests.length;
  expect(await follow()).toBe(0);
  expect(ids()).toEqual(pools.map(({ id }) => id));
  // Two days, and then a day in each of the five minutes.
  expect(requests.length - before).toBeLessThanOrEqual(8 + 5 * 5);
});

test("a pool of the next century hides none of those that were created while no run was active", async () => {
  const future = { id: `0x${"f".repeat(40)}`, createdAt: start + 3_000_000_000, listedAt: start - hour };
  const pools = [...createRarePools(11), future];
  let now = start;
  const { url } = await serveInTest((request) => answerSearch(pools, now, request));
  const out = path.join(createTestContext().home, "new.ndjson");
  for (let runs = 0; runs < 2; runs += 1) {
    const running = createTestContext({ env: envOf(url), now: now * 1000, speed: 2000 });
    const words = `pools search base --follow --created-after ${start - 12 * hour} --for 5m --out ${out}`;
    expect((await run(words.split(" "), running)).exit).toBe(0);
    now += 70 * hour;
  }
  const wanted = pools.filter(
    ({ createdAt }) => createdAt > start - 12 * hour && createdAt <= start + 70 * hour,
  );
  expect(wanted.length).toBeGreaterThan(4);
  const ids = rowsOf(readFileSync(out, "utf8")).map(({ id }) => id);
  expect(ids).toEqual([wanted[0]?.id, future.id, ...wanted.slice(1).map(({ id }) => id)]);
});

test("without a checkpoint, a search continues after the rows in its file", async () => {
  const pools = createRarePools(2);
  let now = start;
  const { url } = await serveInTest((request) => answerSearch(pools, now, request));
  const out = path.join(createTestContext().home, "new.ndjson");
  for (let runs = 0; runs < 2; runs += 1) {
    const running = createTestContext({ env: envOf(url), now: now * 1000, speed: 2000 });
    const after = `--created-after ${start - 25 * hour}`;
    const words = `pools search base --follow ${after} --for 5m --envelope --out ${out}`;
    expect((await run(words.split(" "), running)).exit).toBe(0);
    rmSync(path.join(path.dirname(out), ".new.ndjson.follow"));
    now += 13 * hour;
  }
  const wanted = pools.filter(
    ({ createdAt }) => createdAt >= start - 25 * hour && createdAt <= start + 13 * hour,
  );
  const rows = rowsOf(readFileSync(out, "utf8"));
  expect(rows.map(({ row }) => Object(row).id)).toEqual(wanted.map(({ id }) => id));
});

test("a search begins at the present, although the service lists a pool of the next century", async () => {
  const { clock } = createTestContext({ speed: 2000 });
  const now = (): number => start + clock.elapsed() / 1000;
  const created = [-hour, 70, 200, 3_000_000_000];
  const pools = created.map((after, index) => {
    const id = `0x${(index + 1).toString(16).padStart(40, "0")}`;
    return {
      id,
      createdAt: start + after,
      listedAt: start + Math.min(after, 200) - (after > hour ? hour : 0),
    };
  });
  const { url } = await serveInTest((request) => answerSearch(pools, now(), request));
  const context = createTestContext({ env: envOf(url), speed: 2000 });
  const running = { ...context, clock: { ...clock, now: () => now() * 1000 } };
  const { stdout } = await run("pools search base --follow --for 10m -o ndjson".split(" "), running);
  expect(rowsOf(stdout).map(({ created_at: time }) => Date.parse(String(time)) / 1000 - start)).toEqual([
    3_000_000_000, 70, 200,
  ]);
});

test.each([
  [1, ""],
  [35, ` --created-after ${start - 24 * hour}`],
])("one Date header far ahead, in response %d, hides new pools only for minutes", async (wrong, after) => {
  const { clock } = createTestContext({ speed: 2000 });
  const now = (): number => start + clock.elapsed() / 1000;
  // Too many a day for reads that cover the day.
  const pools = Array.from({ length: 3000 }, (_, index) => {
    const createdAt = start + (index - 2900) * 30 + 15;
    return { id: `0x${(index + 1).toString(16).padStart(40, "0")}`, createdAt, listedAt: createdAt };
  });
  let responses = 0;
  const { url } = await serveInTest((request) => {
    responses += 1;
    const ahead = new Date((now() + 20 * hour) * 1000).toUTCString();
    const reply = answerSearch(pools, now(), request);
    const isWrong = responses === wrong && "headers" in reply;
    return isWrong ? { ...reply, headers: { ...reply.headers, date: ahead } } : reply;
  });
  const context = createTestContext({ env: envOf(url), speed: 2000 });
  const running = { ...context, clock: { ...clock, now: () => now() * 1000 } };
  const { stdout } = await run(`pools search base --follow --for 25m -o ndjson${after}`.split(" "), running);
  const seconds = rowsOf(stdout).map(({ created_at: time }) => Date.parse(String(time)) / 1000 - start);
  const first = wrong === 1 ? 7 * 60 : 60;
  const wanted = Array.from({ length: (12 * 60 - first) / 30 }, (_, index) => first + 15 + index * 30);
  expect(seconds.filter((second) => wanted.includes(second))).toEqual(wanted);
  expect(Math.min(...seconds)).toBeGreaterThan(wrong === 1 ? 0 : -24 * hour);
});
