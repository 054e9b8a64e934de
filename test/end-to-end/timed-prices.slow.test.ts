import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { answerCandles, utc } from "../harness/candle-service.ts";
import { ended, start } from "../harness/binary.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const times = isLong ? 2000 : 600;
const kills = isLong ? 50 : 4;
const now = sandboxNow / 1000;
const random = createRandom(11);

test(
  `prices at ${times} times, killed ${kills} times: --resume makes the same bytes and requests nothing that it has`,
  async () => {
    // Half of the intervals have no trade.
    const has = (opens: number): boolean => (opens / 60) % 7 < 3;
    const { url, requests } = await serveInTest((request) => answerCandles(request, { interval: 60, has }));
    const lines = Array.from({ length: times }, () => {
      const token = `0x${String(Math.floor(random() * 40)).padStart(40, "1")}`;
      return `ethereum:${token} ${utc(now - Math.floor(random() * 29 * 86_400))}\n`;
    });
    const list = path.join(folder, "times");
    writeFileSync(list, lines.join(""));
    const pull = (file: string, ...more: readonly string[]) =>
      start(["prices", `@${list}`, "--interval", "1m", "--rpm", "unlimited", "--out", file, ...more], {
        DEXDATA_API_KEY: "api_pro_s3cr3tPart",
        DEXDATA_TIER: "pro",
        DEXDATA_PRO_BASE_URL: url,
        DEXDATA_NOW: utc(now),
      });
    const whole = path.join(folder, "whole");
    expect(await ended(pull(whole), 60_000)).toMatchObject({ exit: 0 });
    const least = requests.length;
    for (let [done, pulls] = [0, 0]; done < kills; pulls += 1) {
      const file = path.join(folder, `killed-${pulls}`);
      const before = requests.length;
      let runs = 0;
      for (let isOver = false; !isOver; runs += 1) {
        const child = pull(file, "--resume");
        const timer =
          done < kills
            ? setTimeout(() => child.kill("SIGKILL"), 200 + random() * (isLong ? 1500 : 600))
            : undefined;
        const { exit, signal, stderr } = await ended(child, 60_000);
        clearTimeout(timer);
        if (signal === "SIGKILL") done += 1;
        else expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
        isOver = exit === 0;
      }
      expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
      expect(readdirSync(folder).filter((name) => name.startsWith("killed"))).toContain(`killed-${pulls}`);
      expect(readdirSync(folder).filter((name) => /\.(?:part|resume|lock)$/u.test(name))).toEqual([]);
      // A kill can lose the responses that are on their way, eight at most.
      expect(requests.length - before).toBeLessThanOrEqual(least + runs * 10);
      if (isLong)
        process.stderr.write(`${runs} runs, ${requests.length - before} requests, ${least} without kills\n`);
    }
  },
  isLong ? 1_200_000 : 120_000,
);
