import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createRandom } from "../random.ts";
import { stampsOf } from "../lake.ts";
import { damageLake } from "./damage-lake.ts";
import { planForLake, unprovableDays } from "./disturb-lake.ts";
import {
  dayOfFile,
  type FinalRows,
  finalRows,
  type LakeView,
  viewOf,
  wrongFiles,
  wrongLosses,
  wrongRows,
} from "./judge-lake.ts";
import { type Kill, prepareKill } from "./kill-run.ts";
import { fine, type LakeWorld, type Weather } from "./lake-world.ts";

const [hour, day] = [3_600_000, 86_400_000];
export const beginning = Date.parse("2026-10-29T05:20:00Z");
const first = "2026-10-28";
/** The arguments of the first run. */
const creation = (pools: readonly string[], by: HistoryOptions["by"]): readonly string[] => [
  ...pools.map((pool) => `ethereum:${pool}`),
  "--from",
  first,
  "--kind",
  "transactions,ohlcv",
  "--interval",
  "5m",
  "--by",
  by,
];

export interface HistoryOptions {
  readonly folder: string;
  readonly seed: number;
  readonly pools: readonly string[];
  readonly days: number;
  readonly isHourly: boolean;
  readonly by: "month" | "day";
  /** Only the proxy disturbs, or everything does. */
  readonly faults: "proxy" | "all";
}

export interface HistoryResult {
  readonly problems: readonly string[];
  readonly runs: number;
  readonly strikes: number;
  readonly kills: number;
  readonly suspensions: number;
  readonly damages: number;
  /** Complete files at the end, and those that are wrong for a reason that no response could show. */
  readonly complete: number;
  readonly unprovable: number;
}

/** The market's final rows, by a sync from a service without limits and faults. */
export async function readFinalRows(
  world: LakeWorld,
  folder: string,
  { pools, days }: Pick<HistoryOptions, "pools" | "days">,
): Promise<FinalRows> {
  const root = path.join(folder, "final");
  world.setNow(beginning + (days + 6) * day);
  for (let run = 0; run < 2; run += 1) {
    const { exit, stderr } = await world.undisturbed(["sync", root, ...creation(pools, "day")]);
    if (exit !== 0) throw new Error(stderr);
    world.setNow(world.now() + 2 * hour);
  }
  return finalRows(await viewOf(root));
}

/** Keeps a directory for some days while everything goes wrong, and then for three days in which nothing does. */
export async function playHistory(
  world: LakeWorld,
  final: FinalRows,
  options: HistoryOptions,
): Promise<HistoryResult> {
  const { folder, seed, pools, days, isHourly, by, faults } = options;
  const random = createRandom(Math.imul(seed, 0x9e37_79b1));
  const chance = (share: number): boolean => random() < share;
  const below = (count: number): number => Math.floor(random() * count);
  const place = path.join(folder, `history-${seed}`);
  const root = path.join(place, "lake");
  mkdirSync(path.join(place, "beside"), { recursive: true });
  writeFileSync(path.join(place, "beside", "rows.parquet"), "not ours");
  const beside = stampsOf(path.join(place, "beside"));

  const problems: string[] = [];
  let [runs, strikes, kills, suspensions, damages] = [0, 0, 0, 0, 0];
  let view: LakeView = new Map();
  let hasFlipped = false;
  /** Rows that files have, or lack, since a run in which no response could show it. Later runs may keep them so. */
  const unprovable = new Set<string>();
  /** Days that an unfinished run may have staged such rows of. */
  let staged: readonly string[] = [];

  const note = (problem: string): void => void problems.push(`run ${runs}: ${problem}`);

  const look = async (isChecked: boolean): Promise<void> => {
    const before = view;
    view = await viewOf(root, before);
    if (!isChecked) return;
    const hit = new Set([...staged, ...unprovableDays(world.proxy)]);
    for (const [name, { stamp, rows }] of view)
      if (before.get(name)?.stamp !== stamp && hit.has(dayOfFile(name)))
        for (const row of wrongRows(name, rows, final)) unprovable.add(row);
    const now = world.now() / 1000;
    for (const problem of wrongLosses(before, view, now)) note(problem);
    for (const { problem, rows } of wrongFiles(view, final, now))
      if (rows.length === 0 || !rows.every((row) => unprovable.has(row))) note(problem);
  };

  /** The lock expires while the process is suspended, another run does its work, and the first one wakes up. */
  const suspend = async (): Promise<LakeView> => {
    rmSync(path.join(root, ".dexdata", "lock"), { force: true });
    world.setNow(world.now() + 2 * hour);
    await world.dexdata(["sync", root]).outcome;
    return await viewOf(root);
  };

  const sync = async (isFine: boolean): Promise<void> => {
    runs += 1;
    const isAll = faults === "all" && !isFine;
    const { weather, ahead } = isAll ? drawWeather(random) : { weather: fine, ahead: 0 };
    const kill: Kill | undefined =
      isAll && chance(0.15)
        ? { by: (["request", "rename", "renamed"] as const)[below(3)] ?? "rename", number: 1 + below(12) }
        : undefined;
    const prepared = kill === undefined ? undefined : prepareKill(root, kill);
    const suspendedAt = isAll && kill === undefined && chance(0.08) ? 1 + below(8) : 0;
    let newer: Promise<LakeView> | undefined;
    world.setWeather({
      ...weather,
      arrived: async (request) => {
        prepared?.arrived(request);
        if (request === suspendedAt) await (newer ??= suspend());
      },
    });
    world.proxy.begin(isFine ? [] : planForLake(seed * 1000 + runs, isHourly ? 0.08 : 0.15, pools));
    const words = [
      "sync",
      root,
      ...(existsSync(path.join(root, "assets.ndjson")) ? [] : creation(pools, by)),
    ];
    if (hasFlipped || (isAll && chance(0.04))) words.push("--force");
    const { exit, stderr } = await world.dexdata(words, ahead).outcome;
    strikes += world.proxy.struck.length;
    const isKilled = prepared?.end() === true;
    if (isKilled) kills += 1;
    else hasFlipped = false;
    if (/internal error|is a bug/u.test(stderr)) note(stderr.slice(0, 300));
    if (newer !== undefined) {
      suspensions += 1;
      const expected = await newer;
      const after = await viewOf(root);
      for (const [name, { sha256 }] of expected)
        if (after.get(name)?.sha256 !== sha256) note(`${name}: a suspended run replaced a newer file`);
    }
    await look(true);
    const work = path.join(root, ".dexdata", "work");
    const isDone = !isKilled && existsSync(work) && readdirSync(work).length === 0;
    staged = isDone ? [] : [...staged, ...unprovableDays(world.proxy)];
    if (process.env["DEXDATA_TEST_TRACE"] === "1")
      console.log(runs, new Date(world.now()).toISOString(), { exit, isKilled, ahead, ...weather }, stderr);
  };

  world.setNow(beginning + below(6) * hour);
  const end = world.now() + days * day;
  while (world.now() < end) {
    await sync(false);
    world.setNow(world.now() + (isHourly ? hour : day) + below(600_000));
    if (faults === "all" && view.size > 0 && chance(isHourly ? 0.02 : 0.2)) {
      const damage = damageLake(root, random);
      damages += damage === undefined ? 0 : 1;
      hasFlipped ||= damage === "flip";
      await look(false);
    }
  }
  const healing = world.now();
  for (let run = 0; run < 3; run += 1) {
    await sync(true);
    world.setNow(world.now() + day + 60_000);
  }
  for (const name of unhealed(view, final, healing, world.now())) note(`${name} is not healed`);
  if (stampsOf(path.join(place, "beside")).join() !== beside.join()) note("a file beside was changed");
  const wrong = wrongFiles(view, final, world.now() / 1000).length;
  rmSync(place, { recursive: true });
  const complete = [...view.keys()].filter((name) => name.endsWith("/rows.parquet")).length;
  return { problems, runs, strikes, kills, suspensions, damages, complete, unprovable: wrong };
}

/** Days that are over, that the service still has, and that are not complete. */
function unhealed(view: LakeView, final: FinalRows, healing: number, end: number): readonly string[] {
  const complete = new Set([...view.keys()].filter((name) => name.endsWith("/rows.parquet")).map(dayOfFile));
  return [...final.keys()].filter((name) => {
    const from = Date.parse(name.slice(-10));
    const isOver = from + 2 * day <= healing && from >= Date.parse(first);
    // The last run was a day ago. An older row is needed as a witness.
    const isThere = name.startsWith("ohlcv") || from >= end - day - 6 * day;
    return isOver && isThere && !complete.has(name);
  });
}

/** The reach of the service, and clocks that are wrong. */
function drawWeather(random: () => number): { readonly weather: Weather; readonly ahead: number } {
  const reach = random() < 0.1 ? "3d" : "7d";
  const clocks: readonly (readonly [ahead: number, date: Weather["date"]])[] = [
    [0, (response) => (response === 2 ? 3 * day : 0)],
    [0, () => 2 * day],
    [0, () => undefined],
    [0, (response) => (response === 3 ? -day : 0)],
    [2 * day, () => 0],
    [2 * day, () => undefined],
    [3 * hour, () => 0],
    [-2 * day, () => 0],
    [-3 * hour, () => 0],
  ];
  const drawn = random() < 0.2 ? clocks[Math.floor(random() * clocks.length)] : undefined;
  const [ahead, date] = drawn ?? [0, fine.date];
  return { ahead, weather: { ...fine, reach, date } };
}
