import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binaryEnv, ended, program } from "../harness/binary.ts";
import { hashesOf, stampsOf } from "../harness/lake.ts";
import { textOfRows, viewOf } from "../harness/lake-history/judge-lake.ts";
import { fine, type LakeWorld, startLakeWorld, worldPools } from "../harness/lake-history/lake-world.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Acts like a container: process 1 of a namespace in which it sees no other process. */
const inNamespace = ["--pid", "--fork", "--kill-child", "--mount-proc"];
const canUnshare = spawnSync("unshare", [...inNamespace, "true"]).status === 0;
const name = "two containers keep one directory";
if (!canUnshare) console.warn(`LEFT OUT: ${name}: unshare --pid is not permitted here (it needs root)`);

const trials = isLong ? 12 : 1;
const start = Date.parse("2026-11-20T05:20:00Z");
const folder = temporaryFolder();
let world: LakeWorld;
beforeAll(async () => {
  world = await startLakeWorld(start);
});
afterAll(async () => await world.close());

const assets = worldPools.map((pool) => `ethereum:${pool}`);

function sync(root: string): ChildProcessWithoutNullStreams {
  const list = existsSync(path.join(root, "assets.ndjson")) ? [] : [...assets, "--from", "2026-11-18"];
  const words = ["sync", root, ...list, "--rpm", "unlimited", "--error-format", "text"];
  const now = ["--now", new Date(world.now()).toISOString()];
  return spawn("unshare", [...inNamespace, process.execPath, program, ...words, ...now], {
    env: binaryEnv(world.env()),
    stdio: "pipe",
  });
}

/** The program itself, seen from outside its namespace. */
function programIn({ pid }: ChildProcessWithoutNullStreams): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return Number(children.split(" ")[0]);
}

/** Does nothing if the process has ended. */
function wake(pid: number): void {
  if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGCONT");
}

/** State and rows of each file. */
async function contentOf(root: string): Promise<readonly string[]> {
  return [...(await viewOf(root))].map(([file, { rows }]) => `${file}\n${textOfRows(rows)}`).toSorted();
}

for (let trial = 1; trial <= trials; trial += 1)
  test.skipIf(!canUnshare)(
    `${name}, suspension ${trial}: a process that lost its lock replaces and deletes nothing`,
    async () => {
      const random = createRandom(trial * 7919);
      const place = path.join(folder, String(trial));
      const root = path.join(place, "lake");
      mkdirSync(path.join(place, "beside"), { recursive: true });
      writeFileSync(path.join(place, "beside", "rows.parquet"), "not ours");
      const beside = stampsOf(path.join(place, "beside"));
      world.setNow(start);

      // The first process stops at one of its requests.
      const stopAt = 2 + Math.floor(random() * 5);
      const begun: { first?: ChildProcessWithoutNullStreams } = {};
      const stopped = new Promise<number>((resolve) => {
        world.setWeather({
          ...fine,
          arrived: (request) => {
            if (request !== stopAt || begun.first === undefined) return;
            const pid = programIn(begun.first);
            process.kill(pid, "SIGSTOP");
            resolve(pid);
          },
        });
      });
      begun.first = sync(root);
      const firstEnd = ended(begun.first, 120_000);
      const pid = await stopped;

      // Its lock expires, and another one keeps the directory. In every second trial it is not done when the first wakes.
      const lock = path.join(root, ".dexdata", "lock");
      const past = Date.now() / 1000 - 120;
      utimesSync(lock, past, past);
      world.setNow(start + 2 * 3_600_000);
      const wakesAt = trial % 2 === 0 ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 4);
      world.setWeather({
        ...fine,
        arrived: async (request) => {
          if (request !== wakesAt) return;
          wake(pid);
          await sleep(300);
        },
      });
      const second = await ended(sync(root), 120_000);
      expect({ exit: second.exit, stderr: second.stderr }).toEqual({ exit: 0, stderr: "" });
      const after = hashesOf(root);
      wake(pid);
      const { exit, stderr } = await firstEnd;
      expect({ exit, stderr }).toEqual({
        exit: 1,
        stderr: expect.stringContaining("taken over by another process"),
      });
      expect(hashesOf(root)).toEqual(after);

      // What the second one continued ends where the first one began, and the next run reads the rest.
      world.setNow(world.now() + 2 * 3_600_000);
      expect((await ended(sync(root), 120_000)).exit).toBe(0);
      const whole = path.join(place, "whole");
      expect((await ended(sync(whole), 120_000)).exit).toBe(0);
      expect(await contentOf(root)).toEqual(await contentOf(whole));
      expect(stampsOf(path.join(place, "beside"))).toEqual(beside);
    },
    300_000,
  );
