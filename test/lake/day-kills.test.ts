import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { dataFiles, hashesOf, periodsBelow } from "../harness/lake.ts";
import { prepareKill } from "../harness/lake-history/kill-run.ts";
import { rowsOfDays, seconds, startMarketService } from "../harness/market-service.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pool = `0x${"a".repeat(40)}`;
const days = ["2026-11-13", "2026-11-14", "2026-11-15", "2026-11-16", "2026-11-17"];
const folder = temporaryFolder();
const first = path.join(folder, "first");
let now = seconds("2026-11-16T08:00:00Z");
let service: Awaited<ReturnType<typeof startMarketService>> | undefined;

async function sync(root: string, ...words: readonly string[]) {
  return await dexdata(["sync", root, ...words, "--rpm", "unlimited"], {
    env: { DEXDATA_BASE_URL: service?.url ?? "" },
    now: now * 1000,
  });
}

beforeAll(async () => {
  const market = new Map([[pool, { rows: rowsOfDays(pool, days, 20), created: days[1] ?? "" }]]);
  service = await startMarketService(() => now, market);
  const words = [`ethereum:${pool}`, "--from", "2026-11-14", "--by", "day"];
  expect(await sync(first, ...words)).toMatchObject({ exit: 0 });
});
afterAll(async () => await service?.close());

test("--by day: a run that is killed at any renaming is continued to the same files", async () => {
  now = seconds("2026-11-17T08:00:00Z");
  const whole = path.join(folder, "whole");
  cpSync(first, whole, { recursive: true });
  expect(await sync(whole)).toMatchObject({ exit: 0 });
  const statesOf = (root: string): string =>
    dataFiles(root)
      .map((name) => path.basename(name))
      .join(" ");
  expect(statesOf(first)).toBe("rows.parquet open.parquet open.parquet");
  expect(statesOf(whole)).toBe("rows.parquet rows.parquet open.parquet open.parquet");
  expect(await dexdata(["verify", whole], { now: now * 1000 })).toMatchObject({ exit: 0 });
  let [kills, doubled] = [0, 0];
  for (let number = 1, isKilled = true; isKilled; number += 1) {
    const root = path.join(folder, `killed-${number}`);
    cpSync(first, root, { recursive: true });
    const kill = prepareKill(root, { by: "renamed", number });
    await sync(root);
    isKilled = kill.end();
    if (isKilled) kills += 1;
    // The day is in the new file and still in the old one.
    const places = dataFiles(root).map((name) => path.dirname(name));
    if (new Set(places).size < places.length) doubled += 1;
    expect(await sync(root)).toMatchObject({ exit: 0 });
    expect(hashesOf(root)).toEqual(hashesOf(whole));
    rmSync(root, { recursive: true });
  }
  expect(kills).toBeGreaterThan(3);
  expect(doubled).toBeGreaterThan(0);
});

test("days of candles that a killed run has read are complete as soon as a response shows the time", async () => {
  now = seconds("2026-11-17T08:00:00Z");
  const root = path.join(folder, "candles");
  const words = [`ethereum:${pool}`, "--kind", "ohlcv", "--interval", "1m", "--from", "2026-11-14"];
  const kill = prepareKill(root, { by: "rename", number: 3 });
  await sync(root, ...words);
  // All rows are staged, and no file is published.
  expect([kill.end(), dataFiles(root)]).toEqual([true, []]);
  expect(await sync(root)).toMatchObject({ exit: 0 });
  const states = (await periodsBelow(root)).map(({ footer }) => footer.state);
  expect(states).toEqual(["rows", "rows", "open", "open"]);
});
