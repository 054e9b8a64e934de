import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { dexdata } from "../harness/dexdata.ts";
import { startFaultySandbox } from "../harness/faulty-sandbox.ts";
import { periodsBelow } from "../harness/lake.ts";
import { isLong } from "../harness/long.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const hour = 3_600_000;
const start = Date.parse("2026-11-13T00:30:00Z");
const folder = temporaryFolder();
/** Quiet pools, so that many runs are quick. */
let pools: readonly string[] = [];
let sound: RunningSandbox | undefined;
let now = start;

beforeAll(async () => {
  sound = await startFaultySandbox(() => now);
  const { stdout } = await run(sound, [
    "pools",
    "search",
    "ethereum",
    "--limit",
    "50",
    "-o",
    "csv",
    "--fields",
    "id",
  ]);
  pools = stdout
    .trimEnd()
    .split("\n")
    .slice(1)
    .slice(isLong ? -10 : -1);
});
afterAll(async () => await sound?.close());

async function run(sandbox: RunningSandbox | undefined, words: readonly string[]) {
  if (sandbox === undefined) throw new Error("the sandbox is not running");
  const env = {
    DEXDATA_API_KEY: sandbox.keys.pro,
    DEXDATA_TIER: "pro",
    DEXDATA_PRO_BASE_URL: sandbox.restPaid,
  };
  return await dexdata([...words, "--rpm", "unlimited"], { env, now });
}

const assets = (): readonly string[] => pools.map((pool) => `ethereum:${pool}`);

/** The hash of the rows of each complete day. */
async function completeIn(root: string): Promise<ReadonlyMap<string, string>> {
  const complete = (await periodsBelow(root)).filter(({ name }) => name.endsWith("/rows.parquet"));
  return new Map(complete.map(({ name, footer }) => [name, footer.rows_sha256]));
}

async function keep(faults: string, hours: number, step: number): Promise<string> {
  const root = path.join(folder, faults.replaceAll(/\W/gu, "-"));
  const server = await startFaultySandbox(() => now, faults);
  now = start;
  try {
    for (let at = 0; at <= hours; at += step) {
      now = start + at * hour;
      const words = ["sync", root, ...(at === 0 ? [...assets(), "--from", "2026-11-12"] : [])];
      const outcome = await run(server, words);
      expect([0, 8]).toContain(outcome.exit);
    }
  } finally {
    await server.close();
  }
  return root;
}

/** What a sync without faults makes of the same days. */
async function oracle(name: string): Promise<ReadonlyMap<string, string>> {
  const root = path.join(folder, `oracle-${name}`);
  expect((await run(sound, ["sync", root, ...assets(), "--from", "2026-11-12"])).exit).toBe(0);
  return await completeIn(root);
}

const [days, step] = isLong ? [8, 1] : [4, 3];

test(
  `runs over ${days} days with late, withdrawn and reorganized rows: complete days are those of the market`,
  async () => {
    const faults = "late-rows=20m:2%,withdrawn-rows=10m:1%,reorg=5:1%,500:2%,reset-body:1%";
    const root = await keep(faults, days * 24, step);
    const [kept, wanted] = [await completeIn(root), await oracle("young")];
    expect(kept.size).toBeGreaterThanOrEqual(pools.length * (days - 1));
    expect(kept).toEqual(wanted);
  },
  isLong ? 3_600_000 : 60_000,
);

test(
  "rows that are hours late are in the days that are named complete",
  async () => {
    // A settled row goes when a second run lacks it, too.
    const root = await keep("late-rows=5h:3%,withdrawn-rows=3h:2%", days * 24 + step, step);
    expect(await completeIn(root)).toEqual(await oracle("late"));
  },
  isLong ? 3_600_000 : 60_000,
);

test(
  "a row that is later than a day is found when the day is counted again",
  async () => {
    const root = await keep("late-rows=40h:3%", 7 * 24, isLong ? 1 : 12);
    const [kept, wanted] = [await completeIn(root), await oracle("recount")];
    const settled = [...wanted].filter(
      ([name]) => name.includes("date=2026-11-12") || name.includes("date=2026-11-14"),
    );
    expect(settled.length).toBe(2 * pools.length);
    for (const [name, hash] of settled) expect([name, kept.get(name)]).toEqual([name, hash]);
  },
  isLong ? 3_600_000 : 60_000,
);
