import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { ended, start } from "../harness/binary.ts";
import { startFaultySandbox } from "../harness/faulty-sandbox.ts";
import { dataFiles, hashesOf, periodsBelow } from "../harness/lake.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const hour = 3_600_000;
const folder = temporaryFolder();
const list = path.join(folder, "pools.ndjson");
const [first, days, hours, kills] = isLong
  ? [Date.parse("2026-08-01T00:30:00Z"), 92, 48, 100]
  : [Date.parse("2026-10-30T00:30:00Z"), 3, 3, 6];
let now = first;
let service: RunningSandbox | undefined;

beforeAll(async () => {
  service = await startFaultySandbox(() => now, "late-rows=20m:2%,withdrawn-rows=10m:1%");
  const search = run(["pools", "search", "ethereum", "--limit", "50", "-o", "ndjson"]);
  const rows = (await ended(search)).stdout.toString("utf8").trimEnd().split("\n");
  writeFileSync(list, `${rows.slice(isLong ? -20 : -2).join("\n")}\n`);
});
afterAll(async () => await service?.close());

function run(words: readonly string[]) {
  if (service === undefined) throw new Error("the sandbox is not running");
  return start([...words, "--rpm", "unlimited", "--now", new Date(now).toISOString(), "-q"], {
    DEXDATA_API_KEY: service.keys.pro,
    DEXDATA_TIER: "pro",
    DEXDATA_PRO_BASE_URL: service.restPaid,
  });
}

const sync = (root: string) =>
  run([
    "sync",
    root,
    ...(now === first ? [`@${list}`, "--from", new Date(first - 24 * hour).toISOString()] : []),
  ]);

test(
  `months of daily and hourly runs with ${kills} kills are those without a kill, byte for byte`,
  async () => {
    const sound = path.join(folder, "sound");
    const killed = path.join(folder, "killed");
    const random = createRandom(48);
    const times = [
      ...Array.from({ length: days }, (_, day) => first + day * 24 * hour),
      ...Array.from({ length: hours }, (_, each) => first + ((days - 1) * 24 + each + 1) * hour),
    ];
    let done = 0;
    for (const [index, time] of times.entries()) {
      now = time;
      const began = performance.now();
      expect((await ended(sync(sound), 120_000)).exit).toBe(0);
      const lasted = performance.now() - began;
      const before = new Set(dataFiles(killed));
      while (done < Math.ceil((kills * (index + 1)) / times.length)) {
        const child = sync(killed);
        const timer = setTimeout(() => child.kill("SIGKILL"), (0.3 + 0.7 * random()) * lasted);
        const { signal } = await ended(child, 120_000);
        clearTimeout(timer);
        // It has ended before.
        if (signal !== "SIGKILL") break;
        done += 1;
        // Every file can be read at any moment, and is one of the run before or of the run that was killed.
        await periodsBelow(killed);
        const expected = new Set([...before, ...dataFiles(sound)]);
        expect(dataFiles(killed).filter((name) => !expected.has(name))).toEqual([]);
      }
      expect((await ended(sync(killed), 120_000)).exit).toBe(0);
      expect(hashesOf(killed), new Date(time).toISOString()).toEqual(hashesOf(sound));
    }
    console.log(`${times.length} runs, ${done} kills, ${dataFiles(sound).length} files`);
    expect(done).toBeGreaterThan(kills / 2);
    rmSync(sound, { recursive: true });
  },
  isLong ? 7_200_000 : 120_000,
);
