import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { rowsOf } from "../harness/rows.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { marketRows, pool, writtenRows } from "../tail/following.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);
const [out, state, acted] = [inFolder("rows.ndjson"), inFolder("state"), inFolder("acted.ndjson")];
const [kills, speed, seed] = [50, 30, 1];

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

test.skipIf(!isLong)(
  "txns --follow behind a cache: with 50 kills, each row of the market is acted on, and repeats are marked",
  { timeout: 1_200_000 },
  async () => {
    const begun = Math.floor(Date.now() / 1000) * 1000;
    const origin = performance.now();
    const now = (): number => begun + speed * (performance.now() - origin);
    const faults = parseFaults("edge-cache=60s");
    const sandbox = await startSandbox({ now, elapsed: () => performance.now(), seed, faults });
    const env = {
      DEXDATA_PRO_BASE_URL: sandbox.restPaid,
      DEXDATA_API_KEY: sandbox.keys.pro,
      DEXDATA_TIER: "pro",
    };
    const from = begun / 1000 - 12_000;
    const words = `txns ethereum ${pool} --follow --from ${from} --poll 2s --out ${out} --state ${state}`;
    const command = ["--when", "id != none", "--", "sh", "-c", `sleep 0.05; cat >> ${acted}`];
    const open = () => {
      const child = start([...words.split(" "), ...command], env);
      return { child, over: ended(child, 1_000_000) };
    };
    const random = createRandom(53);
    let running = open();
    try {
      for (let count = 0; count < kills; count += 1) {
        await wait(500 + random() * 3500);
        running.child.kill("SIGKILL");
        await running.over;
        running = open();
      }
      const to = now() - 30_000;
      const expected = marketRows(seed, from * 1000, to);
      const missing = (): readonly string[] => {
        const lines = rowsOf(textOf(acted)).map(({ row }) => JSON.stringify(row));
        const rows = new Set(writtenRows(lines.join("\n")));
        return expected.filter((row) => !rows.has(row));
      };
      for (let waited = 0; missing().length > 0 && waited < 1500; waited += 1) await wait(100);
      expect(missing()).toEqual([]);
      expect(expected.length).toBeGreaterThan(500);
      running.child.kill("SIGTERM");
      expect(await running.over).toMatchObject({ exit: 143 });
      const alerts = rowsOf(textOf(acted));
      const first = alerts.filter(({ repeat }) => repeat !== true);
      expect(new Set(first.map(({ id }) => id)).size).toBe(first.length);
      process.stdout.write(`${expected.length} rows, ${alerts.length - first.length} repeats\n`);
    } finally {
      running.child.kill("SIGKILL");
      await sandbox.close();
    }
  },
);
