import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { disturb, planRun, type Stage } from "../harness/blind-run.ts";
import { checkRun } from "../harness/blind-spots.ts";
import { run } from "../harness/dexdata.ts";
import { startLiveHost } from "../harness/live-host.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const folder = temporaryFolder();

/** Everything happens on the test's clock, on which a second takes about 25 ms. */
test.each([1, 2])("seed %i: every lost event is within a reported gap of its asset", async (seed) => {
  const context = createTestContext({ flows: true, speed: 40 });
  const { clock } = context;
  const plan = planRun(seed);
  plan.paged.elapsed = clock.elapsed;
  const host = await startLiveHost({ clock, random: plan.random, every: plan.every, refuse: plan.refuse });
  const [list, log] = [path.join(folder, `list-${seed}`), path.join(folder, `log-${seed}`)];
  writeFileSync(list, plan.assets.join("\n"));
  Object.assign(context.env, { DEXDATA_STREAMING_URL: host.url });
  const words = ["stream", `@${list}`, "--envelope", "--events", log, "--error-format", "text"];
  const outcome = run(words, context);
  const reloads = (): number => context.stderrText().split("asset list reloaded").length;
  const stage: Stage = {
    host,
    now: clock.now,
    sleep: async (milliseconds) => await clock.sleep(milliseconds),
    pauseReader: async (milliseconds) => {
      const resume = context.stdout.stall();
      await clock.sleep(milliseconds);
      resume();
    },
    // Nothing runs in the meantime, and the host sends its backlog when the program continues.
    suspend: async (milliseconds) => {
      clock.advance(milliseconds);
      await clock.sleep(50);
    },
    reload: async (assets) => {
      writeFileSync(list, assets.join("\n"));
      const before = reloads();
      context.reload();
      while (reloads() === before) await clock.sleep(20);
    },
  };
  try {
    // An error page at the start would end the run.
    while (host.connections.length === 0) await clock.sleep(20);
    const course = await disturb(stage, plan);
    const end = clock.now();
    await clock.sleep(1000);
    context.interrupt({ cause: "SIGTERM" });
    const { exit } = await outcome;
    expect(exit).toBe(143);
    const lines = context.stdoutText();
    expect(checkRun({ host, course, lines, log: readFileSync(log, "utf8"), end })).toBeGreaterThan(0);
  } finally {
    context.interrupt({ cause: "SIGTERM" });
    await outcome;
    await host.close();
  }
});
