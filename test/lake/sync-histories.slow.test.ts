import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FinalRows } from "../harness/lake-history/judge-lake.ts";
import {
  beginning,
  type HistoryOptions,
  playHistory,
  readFinalRows,
} from "../harness/lake-history/lake-history.ts";
import { type LakeWorld, startLakeWorld, worldPools } from "../harness/lake-history/lake-world.ts";
import { isLong } from "../harness/long.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** `DEXDATA_TEST_SEED=17` repeats a failure; with `DEXDATA_TEST_TRACE=1` it prints each run. */
const onlySeed = Number(process.env["DEXDATA_TEST_SEED"] ?? 0);
const size = isLong ? { pools: worldPools, days: 10 } : { pools: worldPools.slice(0, 1), days: 5 };
const folder = temporaryFolder();
let world: LakeWorld;
let final: FinalRows;

beforeAll(async () => {
  world = await startLakeWorld(beginning);
  final = await readFinalRows(world, folder, size);
}, 600_000);
afterAll(async () => await world.close());

type Kind = Pick<HistoryOptions, "isHourly" | "faults" | "days" | "by">;

async function play(name: string, number: number, kind: Kind): Promise<void> {
  const seeds = onlySeed > 0 ? [onlySeed] : Array.from({ length: number }, (_, index) => index + 1);
  const failures: string[] = [];
  for (const seed of seeds) {
    const { problems, ...facts } = await playHistory(world, final, { folder, seed, ...size, ...kind });
    process.stdout.write(`${name}, seed ${seed}: ${JSON.stringify(facts)}\n`);
    failures.push(...problems.map((problem) => `seed ${seed}, ${problem}`));
    expect(facts.strikes + facts.kills + facts.damages).toBeGreaterThan(0);
  }
  expect(failures).toEqual([]);
}

describe.each(isLong ? (["month", "day"] as const) : (["month"] as const))("by %s", (by) => {
  test(
    "behind the disturbing proxy, complete files have the market's final rows, and three daily runs heal the rest",
    async () =>
      await play(`proxy, by ${by}`, isLong ? 20 : 1, {
        by,
        isHourly: false,
        faults: "proxy",
        days: size.days,
      }),
    isLong ? 7_200_000 : 300_000,
  );

  test(
    "daily runs with kills, suspensions, damage, wrong clocks and a shorter reach",
    async () =>
      await play(`daily, by ${by}`, isLong ? 60 : 1, { by, isHourly: false, faults: "all", days: size.days }),
    isLong ? 14_400_000 : 300_000,
  );

  test(
    "hourly runs with kills, suspensions, damage, wrong clocks and a shorter reach",
    async () =>
      await play(`hourly, by ${by}`, isLong ? 10 : 1, {
        by,
        isHourly: true,
        faults: "all",
        days: isLong ? 10 : 1,
      }),
    isLong ? 14_400_000 : 300_000,
  );
});
