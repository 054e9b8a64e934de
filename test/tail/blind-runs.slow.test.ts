import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { disturb, planRun, type Stage } from "../harness/blind-run.ts";
import { ended, start } from "../harness/binary.ts";
import { checkRun } from "../harness/blind-spots.ts";
import { startLiveHost } from "../harness/live-host.ts";
import { isLong } from "../harness/long.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: async (milliseconds: number, signal?: AbortSignal) =>
    await wait(milliseconds, undefined, { signal }),
};

/** The built program on the real clock, suspended by signals. */
async function runFor60Seconds(seed: number): Promise<number> {
  const plan = planRun(seed);
  plan.paged.elapsed = clock.elapsed;
  const host = await startLiveHost({ clock, random: plan.random, every: plan.every, refuse: plan.refuse });
  const [list, log] = [path.join(folder, `list-${seed}`), path.join(folder, `log-${seed}`)];
  writeFileSync(list, plan.assets.join("\n"));
  const child = start(["stream", `@${list}`, "--envelope", "--events", log, "--error-format", "text"], {
    DEXDATA_STREAMING_URL: host.url,
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  const over = ended(child, 180_000);
  const reloads = (): number => said.split("asset list reloaded").length;
  const stage: Stage = {
    host,
    now: clock.now,
    sleep: clock.sleep,
    pauseReader: async (milliseconds) => {
      child.stdout.pause();
      await wait(milliseconds);
      child.stdout.resume();
    },
    suspend: async (milliseconds) => {
      child.kill("SIGSTOP");
      await wait(milliseconds);
      child.kill("SIGCONT");
    },
    reload: async (assets) => {
      writeFileSync(list, assets.join("\n"));
      const before = reloads();
      child.kill("SIGHUP");
      while (reloads() === before && child.exitCode === null) await wait(5);
    },
  };
  try {
    while (host.connections.length === 0 && child.exitCode === null) await wait(5);
    const course = await disturb(stage, plan);
    const end = clock.now();
    await wait(1000);
    child.kill("SIGTERM");
    const { exit, stdout } = await over;
    expect(exit).toBe(143);
    return checkRun({ host, course, lines: stdout.toString("utf8"), log: readFileSync(log, "utf8"), end });
  } finally {
    child.kill("SIGKILL");
    await over;
    await host.close();
  }
}

test(
  "seeded runs of 60 s: every lost event is within a reported gap of its asset",
  { timeout: 900_000 },
  async () => {
    const seeds = Array.from({ length: isLong ? 20 : 3 }, (_, index) => index + 1);
    for (let at = 0; at < seeds.length; at += 5) {
      const lost = await Promise.all(seeds.slice(at, at + 5).map(runFor60Seconds));
      expect(lost.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
    }
  },
);
